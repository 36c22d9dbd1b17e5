import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

export const run = promisify(execFile);

/** Where tools are kept that tests have to fetch, for all checkouts. */
const cache = join(
  process.env.RELAY_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'expert-relay'),
  'tools',
);

/** A maker that ended without removing its lock: compiling takes minutes, never this long. */
const staleMs = 20 * 60_000;

/** A folder of the cache, made by one process while all others wait for it. Its name holds the tool's version. */
export async function cachedTool(name: string, make: (folder: string) => Promise<void>): Promise<string> {
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
      rmdirSync(lock);
    }
  }
  return folder;
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > staleMs) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

/** A program of the PATH, or of further folders. */
export function findProgram(name: string, ...more: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...more];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
