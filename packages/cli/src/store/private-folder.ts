import { mkdirSync, statSync } from 'node:fs';
import { Failure } from '../failure.ts';

/** Makes a folder that only its owner can enter. Throws when an existing one is open to others. */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { mode } = statSync(path);
    if (isTooOpen(mode)) {
      throw new Failure(
        'state',
        `The folder ${path} can be entered by others (mode ${describeMode(mode)}). Close it: chmod 700 '${path}'`,
      );
    }
  } catch (error) {
    throw explainFileError(error, path);
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
