import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { identify, type KnownProcess } from './process-identity.ts';
import type { RunningProcess } from './running-process.ts';

/** What the guardian does when the launcher has ended without dismissing it. */
export interface CleanupPlan {
  stop: RunningProcess[];
  remove: string[];
}

/** The launcher's connection to a guardian: a process that outlives even a `kill -9` of the launcher. */
export interface Guard {
  update(plan: CleanupPlan): void;
  /** Everything was stopped in order: the guardian has nothing left to do. */
  dismiss(): void;
}

const source = fileURLToPath(new URL('guardian.ts', import.meta.url));

/** `began` is called with each guardian: one that dies is replaced, a few times. */
export function startGuard(options: {
  /** Where the guardian's program is written. */
  programFile: string;
  logFile: string;
  began: (guardian: KnownProcess) => void;
}): Guard {
  const { programFile, logFile, began } = options;
  // One file without imports takes a third of the memory that tsx and its loader would hold.
  buildSync({ entryPoints: [source], outfile: programFile, bundle: true, platform: 'node', format: 'esm' });
  let last: CleanupPlan = { stop: [], remove: [] };
  let restartsLeft = 4;
  let child = begin();

  function begin(): ChildProcess {
    const log = openSync(logFile, 'a', 0o600);
    // Its own session, so that no Ctrl-C, closed terminal or signal to our group reaches it.
    const started = spawn(process.execPath, [programFile], { detached: true, stdio: ['pipe', log, log] });
    closeSync(log);
    started.stdin?.on('error', () => undefined);
    started.on('error', () => undefined);
    started.once('exit', replace);
    started.unref();
    lowerPriority(started.pid);
    const identity = started.pid === undefined ? undefined : identify(started.pid);
    if (started.pid !== undefined && identity) began({ pid: started.pid, identity });
    return started;
  }

  function replace(): void {
    if (restartsLeft <= 0) return;
    restartsLeft -= 1;
    child = begin();
    update(last);
  }

  function update(plan: CleanupPlan): void {
    last = plan;
    child.stdin?.write(`${JSON.stringify(plan)}\n`);
  }

  function dismiss(): void {
    restartsLeft = 0;
    update({ stop: [], remove: [] });
    child.stdin?.end();
  }

  return { update, dismiss };
}

/** Its plans wait in its pipe meanwhile: the services that start should have the CPU. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, 10);
  } catch {
    // The system refuses it, or the process has ended.
  }
}
