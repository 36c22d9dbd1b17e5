import { findOnPath } from '../../servers/find-program.ts';
import { leftToAllTests } from '../../testing/left-to-all-tests.ts';
import { cachedTool, run } from './cached-tool.ts';

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
    const env = { ...process.env, GOBIN: target, CGO_ENABLED: '0', GOFLAGS: '-trimpath' };
    // Minutes of compiling must not slow down the tests beside it.
    await run('nice', ['-n', '10', go, ...args(target)], { env, cwd: cwd ?? target });
  });
  return await compiled.then(
    (folder) => ({ path: `${folder}/${title}` }),
    (error: Error) => ({ missing: `${title} could not be compiled: ${error.message}` }),
  );
}
