import { root } from '../../local/home.ts';
import { whyMissing } from '../../servers/find-tool.ts';
import { cachedTool, run } from './go-tool.ts';

/** Packages of PyPI, pinned; the second has Kubernetes' schemas with it. */
const packages = ['starlark-pyo3==2026.1.3', 'kubernetes-validate==1.37.0'];

const installed = await cachedTool(`python-${packages.join('-').replaceAll('==', '-')}`, async (target) => {
  const options = ['--quiet', '--disable-pip-version-check', '--target', target];
  await run('python3', ['-m', 'pip', 'install', ...options, ...packages]);
}).then(
  (folder) => ({ folder }),
  (error: Error) => ({
    missing: `${packages.join(' and ')} could not be installed: ${error.message.split('\n')[0]}`,
  }),
);
export const pythonMissing = whyMissing(installed);

/** Runs Python with those packages in the checkout, and returns its exit code and all that it printed. */
export async function python(args: readonly string[], input = ''): Promise<{ code: number; output: string }> {
  const env = { ...process.env, PYTHONPATH: 'folder' in installed ? installed.folder : '' };
  const running = run('python3', args, { env, cwd: root, maxBuffer: 64 * 1024 * 1024 });
  running.child.stdin?.end(input);
  return await running.then(
    ({ stdout, stderr }) => ({ code: 0, output: `${stdout}${stderr}` }),
    ({ code, stdout, stderr }) => ({ code: Number(code), output: `${stdout}${stderr}` }),
  );
}
