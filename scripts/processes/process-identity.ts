import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
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

/** Reads /proc where there is one, since slim images lack `ps`. */
export function commandLine(pid: number): string {
  const file = `/proc/${pid}/cmdline`;
  if (existsSync(file)) return readFileSync(file, 'utf8').replaceAll('\0', ' ');
  return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
}
