import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
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
