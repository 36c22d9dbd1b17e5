import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process that is remembered beyond its life: the system hands out its pid again some day. */
export interface KnownProcess {
  pid: number;
  /** When it started, as `identify` says it. */
  identity: string;
}

/** Tells a running process from a later one with the same pid; `undefined` when none runs. */
export function identify(pid: number): string | undefined {
  return process.platform === 'linux' ? identifyFromProc(pid) : identifyFromPs(pid);
}

export function isRunning({ pid, identity }: KnownProcess): boolean {
  return identify(pid) === identity;
}

function identifyFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTime] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X') return undefined;
    // The start time counts from the boot, so another boot must not look alike.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${startTime}`;
  } catch {
    return undefined;
  }
}

function identifyFromPs(pid: number): string | undefined {
  try {
    const told = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [state = 'Z', ...started] = told.trim().split(/\s+/);
    return state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return undefined;
  }
}
