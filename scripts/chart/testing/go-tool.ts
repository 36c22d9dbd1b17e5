import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeOnce } from '../../local/cached-folder.ts';
import { cacheFolder } from '../../local/home.ts';
import { findOnPath } from '../../servers/find-program.ts';
import { leftToAllTests } from '../../testing/left-to-all-tests.ts';

export const run = promisify(execFile);

/** A folder of the cache, made once. Its name holds the tool's version. */
export async function cachedTool(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder(), 'tools', name);
  await makeOnce(folder, make);
  return folder;
}

export type GoTool = { readonly path: string } | { readonly missing: string };

/** A program that is compiled once with Go, into a folder of the cache. `args` is a command of `go` that writes it there. */
export async function compileWithGo(
  name: string,
  args: (target: string) => readonly string[],
  cwd?: string,
): Promise<GoTool> {
  const title = name.replace(/-[\d.]+$/, '');
  const left = leftToAllTests(title);
  if (left) return left;
  const go = findOnPath(['go'], { folders: ['/usr/local/go/bin'] });
  if (!go) return { missing: `${title} is not on PATH, and there is no Go to compile it` };
  const compiled = cachedTool(name, async (target) => {
    // Without inlining it takes three quarters of the time.
    const env = { ...process.env, GOBIN: target, CGO_ENABLED: '0', GOFLAGS: '-trimpath -gcflags=all=-l' };
    // Minutes of compiling must not slow down the tests beside it.
    await run('nice', ['-n', '10', go, ...args(target)], { env, cwd: cwd ?? target });
  });
  return await compiled.then(
    (folder) => ({ path: `${folder}/${title}` }),
    (error: Error) => ({ missing: `${title} could not be compiled: ${error.message}` }),
  );
}

/** `helm` of the PATH, or else compiled once with Go. */
export async function findHelm(version = '3.22.0'): Promise<GoTool> {
  const installed = findOnPath(['helm']);
  if (installed) return { path: installed };
  const module = `helm.sh/helm/v3/cmd/helm@v${version}`;
  return await compileWithGo(`helm-${version}`, () => ['install', '-p', '2', '-ldflags', '-s -w', module]);
}
