import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { makeOnce } from '../../local/cached-folder.ts';

export const run = promisify(execFile);

/** Where tools are kept that tests have to fetch, for all checkouts. */
const toolCache = join(
  process.env.RELAY_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'expert-relay'),
  'tools',
);

/** A folder of the cache, made once. Its name holds the tool's version. */
export async function cachedTool(
  name: string,
  make: (folder: string) => Promise<void>,
  cache = toolCache,
): Promise<string> {
  const folder = join(cache, name);
  await makeOnce(folder, make);
  return folder;
}

/** A program of the PATH, or of further folders. */
export function findProgram(name: string, ...more: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...more];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
