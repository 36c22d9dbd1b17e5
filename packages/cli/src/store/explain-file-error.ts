import { Failure } from '../failure.ts';

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
