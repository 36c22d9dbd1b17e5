import { join } from 'node:path';
import { findOnPath } from '../../servers/find-program.ts';
import { cachedTool, run } from './cached-tool.ts';

const version = '3.22.0';

/** `helm` of the PATH, or else compiled once with Go. */
export async function findHelm(): Promise<{ path: string } | { missing: string }> {
  const installed = findOnPath(['helm']);
  if (installed) return { path: installed };
  const go = findOnPath(['go'], { folders: ['/usr/local/go/bin'] });
  if (!go) return { missing: 'helm is not on PATH, and there is no Go to compile it' };
  const compiled = cachedTool(`helm-${version}`, async (target) => {
    const env = { ...process.env, GOBIN: target, CGO_ENABLED: '0', GOFLAGS: '-trimpath' };
    const args = ['install', '-p', '2', '-ldflags', '-s -w', `helm.sh/helm/v3/cmd/helm@v${version}`];
    // Minutes of compiling must not slow down the tests beside it.
    await run('nice', ['-n', '10', go, ...args], { env, cwd: target });
  });
  return await compiled.then(
    (folder) => ({ path: join(folder, 'helm') }),
    (error: Error) => ({ missing: `helm could not be compiled: ${error.message}` }),
  );
}
