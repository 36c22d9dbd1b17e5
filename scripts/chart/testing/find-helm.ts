import { join } from 'node:path';
import { findOnPath } from '../../servers/find-program.ts';
import { cachedTool, run } from './cached-tool.ts';

const version = '3.22.0';

/** `helm` of the PATH, or else compiled once with Go; undefined where there is neither. */
export async function findHelm(): Promise<string | undefined> {
  const installed = findOnPath(['helm']);
  if (installed) return installed;
  const go = findOnPath(['go'], { folders: ['/usr/local/go/bin'] });
  if (!go) return undefined;
  const folder = await cachedTool(`helm-${version}`, async (target) => {
    const env = { ...process.env, GOBIN: target, CGO_ENABLED: '0', GOFLAGS: '-trimpath' };
    const args = ['install', '-p', '2', '-ldflags', '-s -w', `helm.sh/helm/v3/cmd/helm@v${version}`];
    // Minutes of compiling must not slow down the tests beside it.
    await run('nice', ['-n', '10', go, ...args], { env, cwd: target });
  }).catch((error: Error) => {
    process.stderr.write(`helm could not be compiled: ${error.message}\n`);
    return undefined;
  });
  return folder && join(folder, 'helm');
}
