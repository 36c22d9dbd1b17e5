import { root } from '../../local/home.ts';
import { cachedTool, run } from './cached-tool.ts';

/** Packages of PyPI, pinned; the second has Kubernetes' schemas with it. */
const packages = ['starlark-pyo3==2026.1.3', 'kubernetes-validate==1.37.0'];

const folder = await cachedTool(`python-${packages.join('-').replaceAll('==', '-')}`, async (target) => {
  const options = ['--quiet', '--disable-pip-version-check', '--target', target];
  await run('python3', ['-m', 'pip', 'install', ...options, ...packages]);
}).catch((error: Error) => {
  process.stderr.write(
    'Python with pip, which brings the schemas of Kubernetes and an interpreter of Starlark, is not to be had: what ' +
      `needs them is skipped. ${error.message.split('\n')[0]}\n`,
  );
  return undefined;
});
export const hasPython = folder !== undefined;

/** Runs Python with those packages in the checkout, and answers its exit code and all that it printed. */
export async function python(args: readonly string[], input = ''): Promise<{ code: number; output: string }> {
  const env = { ...process.env, PYTHONPATH: folder };
  const running = run('python3', args, { env, cwd: root, maxBuffer: 64 * 1024 * 1024 });
  running.child.stdin?.end(input);
  return await running.then(
    ({ stdout, stderr }) => ({ code: 0, output: `${stdout}${stderr}` }),
    ({ code, stdout, stderr }) => ({ code: Number(code), output: `${stdout}${stderr}` }),
  );
}
