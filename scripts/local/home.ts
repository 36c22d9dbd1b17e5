import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder, makeWritableFolder } from './make-folder.ts';

/** The checkout that these scripts belong to. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The folder that holds everything a local run keeps. */
export interface Home {
  path: string;
  /** Where servers that had to be fetched are kept; shared by all checkouts. */
  cache: string;
  file(name: string): string;
  log(name: string): string;
}

export function openHome(path = process.env.RELAY_HOME || join(root, '.relay'), env = process.env): Home {
  const home = resolve(path);
  // Others may pass through, since Postgres may have to run as another user; what is secret inside is 0600.
  mkdirSync(home, { recursive: true, mode: 0o755 });
  mkdirSync(join(home, 'logs'), { recursive: true, mode: 0o700 });
  return {
    path: home,
    cache: openCache(home, env),
    file: (name) => join(home, name),
    log: (name) => join(home, 'logs', `${name}.log`),
  };
}

function openCache(home: string, env: NodeJS.ProcessEnv): string {
  if (env.RELAY_CACHE) return makeWritableFolder(resolve(env.RELAY_CACHE), 'RELAY_CACHE');
  try {
    return makeFolder(join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'expert-relay'));
  } catch {
    // Some accounts have no home folder that they may write to.
    return makeFolder(join(home, 'cache'));
  }
}
