import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeOnce } from '../../local/cached-folder.ts';
import { cacheFolder } from '../../local/home.ts';

export const run = promisify(execFile);

/** A folder of the cache, made once. Its name holds the tool's version. */
export async function cachedTool(
  name: string,
  make: (folder: string) => Promise<void>,
  cache = join(cacheFolder(), 'tools'),
): Promise<string> {
  const folder = join(cache, name);
  await makeOnce(folder, make);
  return folder;
}
