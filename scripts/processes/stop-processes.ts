import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning, type KnownProcess } from './process-identity.ts';

/** All that is needed to stop a process, also by another run than the one that started it. */
export interface RunningProcess extends KnownProcess {
  name: string;
  /** Higher tiers are stopped first: the edge, then what it calls, then the servers at 0. */
  tier: number;
  stopSignal: NodeJS.Signals;
  /** The Docker container whose client the process is. */
  container?: string;
}

interface StopOptions {
  /** Milliseconds after which a process that has not stopped is killed. */
  limit: number;
  /** Aborted to kill everything at once. */
  hurry?: AbortSignal;
}

/** Stops tier after tier, each gracefully and, at the limit, by SIGKILL. */
export async function stopProcesses(
  processes: readonly RunningProcess[],
  options: StopOptions,
): Promise<void> {
  const tiers = [...new Set(processes.map(({ tier }) => tier))].sort((a, b) => b - a);
  for (const tier of tiers) {
    await Promise.all(processes.filter((one) => one.tier === tier).map((one) => stopProcess(one, options)));
  }
}

async function stopProcess(target: RunningProcess, { limit, hurry }: StopOptions): Promise<void> {
  signal(target, target.stopSignal);
  const end = Date.now() + limit;
  while (isRunning(target) && Date.now() < end && !hurry?.aborted) await pause(20);
  if (isRunning(target)) signal(target, 'SIGKILL');
  while (isRunning(target) && Date.now() < end + 5_000) await pause(20);
  if (target.container) await stopContainer(target.container);
}

function signal(target: RunningProcess, name: NodeJS.Signals): void {
  if (!isRunning(target)) return;
  try {
    process.kill(target.pid, name);
  } catch {
    // It ended between the look and the signal.
  }
}

/** A container outlives its client. One that has ended already is no failure. */
function stopContainer(name: string): Promise<void> {
  return new Promise((resolve) => execFile('docker', ['stop', '--time', '10', name], () => resolve()));
}
