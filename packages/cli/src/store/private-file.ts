import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
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

/** Replaces a file. A reader finds the old text or the new one, also after a crash, and never a part. */
export function writePrivate(path: string, text: string): void {
  publish(path, text, (draft) => {
    renameSync(draft, path);
    return true;
  });
}

/** Creates a file unless there is one, and says whether it did: of two processes at once, one does. */
export function createPrivate(path: string, text: string): boolean {
  return publish(path, text, (draft) => {
    try {
      linkSync(draft, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });
}

/** Writes the whole text to a draft, which then takes its place. */
function publish(path: string, text: string, place: (draft: string) => boolean): boolean {
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
    return place(draft);
  } catch (error) {
    throw explainFileError(error, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
