import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { identify, isRunning, type KnownProcess } from '../processes/process-identity.ts';

export interface FileClaim {
  readonly mode: number;
  /** The process that a file names; undefined when it names none. */
  holderOf(text: string): KnownProcess | undefined;
  /** What to write, given the file of a holder that has ended. */
  textAfter(left: string | undefined): string;
}

/**
 * Creates a file that names this process, or replaces the one of a process that has ended. Of several processes that
 * try, one succeeds.
 */
export function claimFile(file: string, claim: FileClaim): boolean {
  if (put(file, claim, undefined)) return true;
  if (leftIn(file, claim) === undefined) return false;
  // Several processes may find the same ended holder. One at a time may replace its file, and looks again before:
  // otherwise the second would replace the file of the first.
  const replacement = `${file}.replacement`;
  if (!claimFile(replacement, byThisProcess)) return false;
  try {
    const left = leftIn(file, claim);
    return left !== undefined && put(file, claim, left);
  } finally {
    rmSync(replacement, { force: true });
  }
}

/** A file that holds nothing but the name of its holder, which other users may read. */
export const byThisProcess: FileClaim = {
  mode: 0o644,
  holderOf: (text) => parse<KnownProcess>(text),
  textAfter: () => JSON.stringify({ pid: process.pid, identity: identify(process.pid) }),
};

/** Undefined for what is no JSON: a file whose writer was cut off. */
export function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

/** Written first, then moved: the file is never seen without its holder's name. */
function put(file: string, { mode, textAfter }: FileClaim, left: string | undefined): boolean {
  const draft = `${file}.${randomUUID()}.new`;
  try {
    writeFileSync(draft, textAfter(left), { flag: 'wx', mode });
    if (left === undefined) linkSync(draft, file);
    else renameSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The text of a file whose holder has ended. */
function leftIn(file: string, { holderOf }: FileClaim): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const holder = holderOf(text);
  return holder && isRunning(holder) ? undefined : text;
}
