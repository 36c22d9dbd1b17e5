import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { makeFolder } from './make-folder.ts';

/** Makes a folder that only its owner can enter. Throws when an existing one is open to others. */
export function makePrivateFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
    const { mode } = statSync(path);
    if (isTooOpen(mode)) {
      throw new Failure(
        'state',
        `The folder ${path} can be entered by others (mode ${describeMode(mode)}). Close it: chmod 700 '${path}'`,
      );
    }
    removeAbandoned(path);
  } catch (error) {
    throw explainFileError(error, path);
  }
}

/** No write takes this long. */
const abandonedAfterMs = 24 * 3_600_000;

const temporaryFile = /.\.[0-9a-f-]{36}\.new$/;

const cleaned = new Set<string>();

/** Removes the temporary files of processes that were killed while they wrote: they may have private keys. Once for each process. */
function removeAbandoned(folder: string): void {
  if (cleaned.has(folder)) return;
  cleaned.add(folder);
  for (const name of readdirSync(folder).filter((one) => temporaryFile.test(one))) {
    const path = join(folder, name);
    // Another process may have removed it.
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    try {
      if (mtimeMs < Date.now() - abandonedAfterMs) rmSync(path, { force: true });
    } catch {
      // On a disk that is read-only, what is there can still be shown.
    }
  }
}

/** Whether users other than the owner have access. Windows has no such modes. */
export function isTooOpen(mode: number): boolean {
  return process.platform !== 'win32' && (mode & 0o077) !== 0;
}

export function describeMode(mode: number): string {
  return (mode & 0o777).toString(8);
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'it is on a read-only disk',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENOTDIR: 'part of its path is a file',
  EEXIST: 'a file is where a folder should be',
  ENOENT: 'it is not there, and cannot be made',
  EISDIR: 'a folder is where a file should be',
};

/** Turns a file system error into a Failure that says what to do. */
export function explainFileError(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || !(code in reasons)) return error;
  return new Failure(
    'state',
    `${path} cannot be used: ${reasons[code]} (${code}). Repair that, or use another folder (RELAY_CONFIG_DIR).`,
    { cause: error },
  );
}
