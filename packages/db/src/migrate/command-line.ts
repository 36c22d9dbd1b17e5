import { relative } from 'node:path';

/** How this process was called, as one would type it again from the same folder. */
export function commandLine(argv: readonly string[], cwd: string): string {
  const [, script = ''] = argv;
  const path = relative(cwd, script);
  return `node ${path.startsWith('..') ? script : path}`;
}
