import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { ended, processStart } from '../../packages/cli/src/store/process-start.ts';

/** All that is needed to stop a process, also by another run than the one that started it. */
export interface RunningProcess {
  name: string;
  pid: number;
  /** When it started: a later process with the same pid is another one. */
  identity: string;
  /** Higher tiers are stopped first; the servers are at 0. */
  tier: number;
  stopSignal: NodeJS.Signals;
  /** The Docker container whose client the process is. */
  container?: string;
}

/** Distinguishes a running process from a later one with the same pid; `undefined` when none runs. */
export function identify(pid: number): string | undefined {
  const start = processStart(pid);
  return start === ended ? undefined : start;
}

export function isRunning({ pid, identity }: Pick<RunningProcess, 'pid' | 'identity'>): boolean {
  return identify(pid) === identity;
}

/** Stops tier after tier: each process gracefully, and by SIGKILL at the limit. */
export async function stopProcesses(processes: readonly RunningProcess[], limitMs: number): Promise<void> {
  const tiers = [...new Set(processes.map(({ tier }) => tier))].sort((a, b) => b - a);
  for (const tier of tiers) {
    const together = processes.filter((one) => one.tier === tier);
    await Promise.all(together.map((one) => stopProcess(one, limitMs)));
  }
}

async function stopProcess(target: RunningProcess, limitMs: number): Promise<void> {
  signal(target, target.stopSignal);
  const end = Date.now() + limitMs;
  while (isRunning(target) && Date.now() < end) await pause(20);
  signal(target, 'SIGKILL');
  while (isRunning(target) && Date.now() < end + 5_000) await pause(20);
  // A container outlives a client that was killed.
  const { container } = target;
  if (container) await new Promise((resolve) => execFile('docker', ['rm', '--force', container], resolve));
}

function signal(target: RunningProcess, name: NodeJS.Signals): void {
  try {
    if (isRunning(target)) process.kill(target.pid, name);
  } catch {
    // It ended between the look and the signal.
  }
}
