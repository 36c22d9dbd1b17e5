import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

export const run = promisify(execFile);

/** Where tools are kept that tests have to fetch, for all checkouts. */
const toolCache = join(
  process.env.RELAY_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'expert-relay'),
  'tools',
);

/** A folder of the cache, made by one process while all others wait for it. Its name holds the tool's version. */
export async function cachedTool(
  name: string,
  make: (folder: string) => Promise<void>,
  cache = toolCache,
): Promise<string> {
  const folder = join(cache, name);
  const lock = `${folder}.lock`;
  mkdirSync(cache, { recursive: true });
  while (!existsSync(folder)) {
    if (!takeLock(lock)) {
      await pause(500);
      continue;
    }
    try {
      if (existsSync(folder)) break;
      rmSync(`${folder}.part`, { recursive: true, force: true });
      mkdirSync(`${folder}.part`);
      await make(`${folder}.part`);
      renameSync(`${folder}.part`, folder);
    } finally {
      rmSync(lock);
    }
  }
  return folder;
}

/** The lock names the process that makes the tool: when that was killed, another one takes over. */
function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!holderLives(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function holderLives(lock: string): boolean {
  try {
    // Empty for the moment between its making and its writing.
    const pid = Number(readFileSync(lock, 'utf8'));
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A program of the PATH, or of further folders. */
export function findProgram(name: string, ...more: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...more];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
