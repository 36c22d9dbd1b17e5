import { mkdirSync, statSync } from 'node:fs';
import { Failure } from '../failure.ts';
import { explainFileError } from './file-error.ts';
import { describeMode, isTooOpen } from './file-mode.ts';

/** Makes a folder that only its owner can enter; one that is there must be such. */
export function openPrivateFolder(path: string): void {
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
