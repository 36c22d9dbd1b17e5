import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { explainFileError } from './file-error.ts';
import { describeMode, isTooOpen } from './file-mode.ts';
import { openPrivateFolder } from './private-folder.ts';

/** The text of a file that only its owner can read; `undefined` when there is none. */
export function readPrivate(path: string): string | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const { mode } = fstatSync(file);
      if (isTooOpen(mode)) {
        throw new Failure(
          'state',
          `The file ${path} can be read by others (mode ${describeMode(mode)}). Close it: chmod 600 '${path}'`,
        );
      }
      return readFileSync(file, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw explainFileError(error, path);
  }
}

/** Whoever reads meanwhile, or after a crash, finds the old text or the new one, and never a part. */
export function writePrivate(path: string, text: string): void {
  openPrivateFolder(dirname(path));
  const draft = `${path}.${randomUUID()}.new`;
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw explainFileError(error, path);
  }
}
