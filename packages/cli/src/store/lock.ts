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
 * and the other side would refuse their messages. Returns the function that releases it.
 */
export function lock(path: string, what: string): () => void {
  openPrivateFolder(dirname(path));
  if (!take(path)) {
    const { pid } = readHolder(path) ?? {};
    throw new Failure(
      'state',
      `${what} is in use by another relay command (process ${pid ?? 'unknown'}). Wait for it, or end it. Should that be something else: rm '${path}'`,
    );
  }
  return () => rmSync(path, { force: true });
}

/** Takes a lock that is free, or that was left by a process that has ended. */
function take(path: string): boolean {
  if (create(path)) return true;
  if (isRunning(readHolder(path))) return false;
  // Several processes may find the same ended holder. One at a time may remove its lock, and looks again before:
  // otherwise the second would remove the lock that the first has taken meanwhile.
  const removal = `${path}.removal`;
  if (!take(removal)) return false;
  try {
    const holder = readHolder(path);
    if (holder && !isRunning(holder)) rmSync(path, { force: true });
    return create(path);
  } finally {
    rmSync(removal, { force: true });
  }
}

/** Creates a lock unless there is one. It is linked once it is written: a lock always names its holder. */
function create(path: string): boolean {
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
  /** Undefined where the platform does not say. */
  readonly start: string | undefined;
}

function readHolder(path: string): Holder | undefined {
  const text = readPrivate(path);
  if (text === undefined) return undefined;
  const [pid, start] = text.split('\n');
  return { pid: Number(pid), start: start || undefined };
}

function isRunning(holder: Holder | undefined): boolean {
  if (!holder) return false;
  const { pid, start } = holder;
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
