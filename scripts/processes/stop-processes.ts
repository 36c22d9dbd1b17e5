import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning } from './process-identity.ts';
import type { RunningProcess } from './running-process.ts';

interface StopOptions {
  /** How long a tier may take to stop by itself before it is ended hard. */
  limit: number;
  /** Aborted when whoever waits has lost patience: everything is ended hard at once. */
  hurry?: AbortSignal;
}

/** Stops tier after tier, each gracefully and, at the limit, hard. Only ever the very processes named. */
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

/** The container outlives a client that was killed; one that is gone already is fine too. */
function stopContainer(name: string): Promise<void> {
  return new Promise((resolve) => execFile('docker', ['stop', '--time', '10', name], () => resolve()));
}
