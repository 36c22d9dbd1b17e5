import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ended, processStart } from './process-start.ts';

/** The process that a lock file names. */
export interface Holder {
  readonly pid: number;
  /** Undefined where the platform does not report it. */
  readonly start: string | undefined;
}

/**
 * Creates a lock file that names this process, or takes over the one of a process that has ended. Of several processes
 * that try, one succeeds. It is released by removing the file. `npm start` uses it as well.
 */
export function takeLock(path: string): boolean {
  if (create(path)) return true;
  if (isRunning(readHolder(path))) return false;
  // Several processes may find the same ended holder. One at a time may remove its lock, and looks again before:
  // otherwise the second would remove the lock that the first has taken since.
  const removal = `${path}.removal`;
  if (!takeLock(removal)) return false;
  try {
    const holder = readHolder(path);
    if (holder && !isRunning(holder)) rmSync(path, { force: true });
    return create(path);
  } finally {
    rmSync(removal, { force: true });
  }
}

export function readHolder(path: string): Holder | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const [pid, start] = text.split('\n');
  return { pid: Number(pid), start: start || undefined };
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
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function isRunning(holder: Holder | undefined): boolean {
  if (!holder) return false;
  const { pid, start } = holder;
  if (!Number.isSafeInteger(pid) || pid <= 0 || !hasProcess(pid)) return false;
  const now = processStart(pid);
  // Where the platform does not report when a process started, only its pid counts.
  return now !== ended && (start === undefined || now === undefined || now === start);
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
