import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { identify, type KnownProcess } from './process-identity.ts';
import type { RunningProcess } from './stop-processes.ts';

/** What the watchdog does when this process has ended without stopping it. */
export interface CleanupPlan {
  stop: RunningProcess[];
  remove: string[];
}

/** The connection to a process that outlives even a `kill -9` of this one. */
export interface Watchdog {
  readonly process: KnownProcess;
  update(plan: CleanupPlan): void;
  /** For when everything was stopped in order. */
  stop(): void;
}

const source = fileURLToPath(new URL('watchdog-program.ts', import.meta.url));

export function startWatchdog({ programFile, logFile }: Record<'programFile' | 'logFile', string>): Watchdog {
  // One file without imports takes a third of the memory that tsx and its loader would take.
  buildSync({ entryPoints: [source], outfile: programFile, bundle: true, platform: 'node', format: 'esm' });
  const log = openSync(logFile, 'a', 0o600);
  // Detached: neither Ctrl-C, nor a closed terminal, nor a signal to our process group reaches it.
  const child = spawn(process.execPath, [programFile], { detached: true, stdio: ['pipe', log, log] });
  closeSync(log);
  child.on('error', () => undefined);
  const { stdin } = child;
  stdin?.on('error', () => undefined);
  child.unref();
  lowerPriority(child.pid);
  const update = (plan: CleanupPlan) => void stdin?.write(`${JSON.stringify(plan)}\n`);
  return {
    process: { pid: child.pid ?? 0, identity: identify(child.pid ?? 0) ?? '' },
    update,
    stop() {
      update({ stop: [], remove: [] });
      stdin?.end();
    },
  };
}

/** Its plans wait in its pipe, so that services which start get the CPU. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, 10);
  } catch {
    // The system refuses it, or the process has ended.
  }
}
