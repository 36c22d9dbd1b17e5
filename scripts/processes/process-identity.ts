import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ended, processStart } from '../../packages/cli/src/store/process-start.ts';

/** A process that is still recognised after its pid was given to another one. */
export interface KnownProcess {
  pid: number;
  /** When it started. */
  identity: string;
}

/** Distinguishes a running process from a later one with the same pid; `undefined` when none runs. */
export function identify(pid: number): string | undefined {
  const start = processStart(pid);
  return start === ended ? undefined : start;
}

export function isRunning({ pid, identity }: KnownProcess): boolean {
  return identify(pid) === identity;
}

export interface ProcessDetails {
  parent: number;
  /** Its command line. */
  words: string[];
}

/** Reads /proc where there is one, since slim images lack `ps`. */
export function readDetails(pid: number): ProcessDetails | undefined {
  try {
    return process.platform === 'linux' ? detailsFromProc(pid) : detailsFromPs(pid);
  } catch {
    return undefined;
  }
}

function detailsFromProc(pid: number): ProcessDetails {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split(/[\0 ]+/);
  return { parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]), words };
}

function detailsFromPs(pid: number): ProcessDetails {
  const printed = execFileSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], { encoding: 'utf8' });
  const [parent, ...words] = printed.trim().split(/\s+/);
  return { parent: Number(parent), words };
}
