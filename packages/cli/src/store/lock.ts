import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { explainFileError } from './explain-file-error.ts';
import { readHolder, takeLock } from './lock-file.ts';
import { makeFolder } from './make-folder.ts';

/**
 * Locks a conversation for one process: of two, each would overwrite the journal and the state that the other has stored. That a text
 * is sent once does not depend on it: the SDK claims each text in the store. Returns the function that releases the lock.
 */
export function lock(path: string, what: string): () => void {
  if (!take(path)) {
    const { pid } = readHolder(path) ?? {};
    throw new Failure(
      'state',
      `${what} is in use by another relay command (process ${pid ?? 'unknown'}). Wait for it, or end it.`,
      { hint: `Should that process be something else: rm '${path}'` },
    );
  }
  return () => rmSync(path, { force: true });
}

function take(path: string): boolean {
  try {
    makeFolder(dirname(path), 0o700);
    return takeLock(path);
  } catch (error) {
    throw explainFileError(error, path);
  }
}
