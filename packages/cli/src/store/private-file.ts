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
import { describeMode, explainFileError, isTooOpen, makePrivateFolder } from './private-folder.ts';

/** The text of a file that only its owner may read; undefined when there is no file. */
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

/** Replaces a file. Readers see the old or the new text, never a part, also after a crash. */
export function writePrivate(path: string, text: string): void {
  publish(path, text, (draft) => {
    renameSync(draft, path);
    return true;
  });
}

/** Creates a file unless there is one. Returns whether it did: of two processes at once, only one does. */
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

/** So that a power cut does not bring the old file back. */
function syncFolder(path: string): void {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Writes the whole text to a temporary file and then moves that into its place. */
function publish(path: string, text: string, move: (draft: string) => boolean): boolean {
  makePrivateFolder(dirname(path));
  const draft = `${path}.${randomUUID()}.new`;
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    const isMoved = move(draft);
    syncFolder(dirname(path));
    return isMoved;
  } catch (error) {
    throw explainFileError(error, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
