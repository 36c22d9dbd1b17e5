import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process started. It distinguishes processes with the same pid, since containers reuse few pids. Undefined
 * where the platform does not report it.
 */
export function processStart(pid: number): string | undefined {
  if (process.platform === 'linux') return startFromProc(pid);
  return process.platform === 'win32' ? undefined : startFromPs(pid);
}

/** The start of a process that has ended: its pid exists until its parent has read its exit code. */
export const ended = 'ended';

function startFromProc(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The name is in parentheses, and may contain parentheses.
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields[18];
  if (ticks === undefined) return undefined;
  // The ticks count from the boot, so the boot's id is added.
  return /[ZX]/.test(state) ? ended : `${readText('/proc/sys/kernel/random/boot_id').trim()} ${ticks}`.trim();
}

function startFromPs(pid: number): string | undefined {
  try {
    // The answer must not depend on the language or the time zone.
    const command = ['LC_ALL=C', 'TZ=UTC', 'ps', '-o', 'stat=,lstart=', '-p', String(pid)];
    const output = execFileSync('env', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [state = '', ...start] = output.trim().split(/\s+/);
    return state.startsWith('Z') ? ended : start.join(' ') || undefined;
  } catch {
    return undefined;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
