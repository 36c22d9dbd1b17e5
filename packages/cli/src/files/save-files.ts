import { closeSync, lstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { safeName } from '@expert-relay/sdk/safe';
import { Failure } from '../failure.ts';
import { makeFolder } from '../store/make-folder.ts';

interface ReceivedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Names that are tried for one file. */
const maxNames = 1_000;

/**
 * Saves files in a folder, which is made if it is not there. The names are made of the senders' names, without any folder of
 * theirs. A file that exists is never changed: another one gets a number, and the same one is not saved again.
 * @returns the paths, in the order of the files
 * @throws Failure `usage`
 */
export function saveFiles(folder: string, files: readonly ReceivedFile[]): string[] {
  try {
    makeFolder(folder, 0o700);
    return files.map((file) => saveFile(folder, file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || error instanceof Failure) throw error;
    throw new Failure('usage', `Files cannot be saved in ${folder} (${code}). Name another folder.`, {
      cause: error,
    });
  }
}

function saveFile(folder: string, { name, bytes }: ReceivedFile): string {
  const safe = safeName(name);
  const [, stem = safe, extension = ''] = /^(.+?)(\.[^.]{1,10})?$/.exec(safe) ?? [];
  for (let number = 1; number <= maxNames; number++) {
    const path = join(folder, number === 1 ? safe : `${stem}-${number}${extension}`);
    if (create(path, bytes) || isSame(path, bytes)) return path;
  }
  throw new Failure('usage', `There are ${maxNames} files like ${safe} in ${folder}. Name another folder.`);
}

/** Returns false when there is something with this name, also a link. */
function create(path: string, bytes: Uint8Array): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(file, bytes);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return true;
}

function isSame(path: string, bytes: Uint8Array): boolean {
  const about = lstatSync(path);
  return about.isFile() && about.size === bytes.length && readFileSync(path).equals(bytes);
}
