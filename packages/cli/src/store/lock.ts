import { randomUUID } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { explainFileError } from './file-error.ts';
import { readPrivate } from './private-file.ts';
import { openPrivateFolder } from './private-folder.ts';
import { processStart } from './process-start.ts';

/**
 * Lets one process at a time hold a conversation: two that send from the same saved state would count alike,
 * and the other side would refuse what they say. Returns how to let go.
 */
export function lock(path: string, what: string): () => void {
  openPrivateFolder(dirname(path));
  if (!take(path)) {
    const holder = readHolder(path);
    if (isRunning(holder)) {
      throw new Failure(
        'state',
        `${what} is in use by another relay command (process ${holder.pid}). Wait for it, or end it. Should that be something else: rm '${path}'`,
      );
    }
    // Its holder crashed.
    rmSync(path, { force: true });
    if (!take(path)) throw new Failure('state', `${what} is in use by another relay command. Try again.`);
  }
  return () => rmSync(path, { force: true });
}

/** Written first and linked then, so that nobody ever finds a lock that does not name its holder. */
function take(path: string): boolean {
  const draft = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(draft, [process.pid, processStart(process.pid)].join('\n'), { mode: 0o600, flag: 'wx' });
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw explainFileError(error, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

interface Holder {
  readonly pid: number;
  /** Undefined where nobody could say. */
  readonly start: string | undefined;
}

function readHolder(path: string): Holder {
  const [pid, start] = (readPrivate(path) ?? '').split('\n');
  return { pid: Number(pid), start: start || undefined };
}

function isRunning({ pid, start }: Holder): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !hasProcess(pid)) return false;
  const now = processStart(pid);
  // A pid alone must do where no more is known.
  return start === undefined || now === undefined || now === start;
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
