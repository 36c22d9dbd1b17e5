import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '../../packages/cli/src/store/make-folder.ts';
import { StepError } from '../terminal/failure.ts';

/** The checkout that these scripts belong to. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The folder that holds everything a local run keeps. */
export interface Home {
  path: string;
  /** `cacheFolder`. */
  cache: string;
  file(name: string): string;
  log(name: string): string;
}

const homeFolder = (): string => resolve(process.env.RELAY_HOME || join(root, '.relay'));

export function openHome(path = homeFolder(), env = process.env): Home {
  const home = resolve(path);
  // Other users may enter it, since Postgres may have to run as one; the files with secrets have mode 0600.
  makeFolder(home, 0o755);
  makeFolder(join(home, 'logs'), 0o700);
  return {
    path: home,
    cache: cacheFolder(home, env),
    file: (name) => join(home, name),
    log: (name) => join(home, 'logs', `${name}.log`),
  };
}

/** Where servers and tools that had to be fetched are kept; shared by all checkouts. */
export function cacheFolder(home = homeFolder(), env = process.env): string {
  const cache = env.RELAY_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'expert-relay');
  try {
    makeFolder(cache);
    return resolve(cache);
  } catch (error) {
    // Some accounts have no home folder that they may write to.
    if (env.RELAY_CACHE) throw error;
    return join(home, 'cache');
  }
}

/** The content of one of our files; `undefined` when there is none. */
export function readJson<T>(file: string): T | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    const { message } = error as Error;
    throw new StepError(
      `${file} cannot be read: ${message}. Repair it, or remove it to have a new one made.`,
    );
  }
}

/** Writes a file that only its owner can read. A reader finds the old content or the new one, never a part. */
export function writeJson(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
