import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { identify, type KnownProcess } from './process-identity.ts';
import type { RunningProcess } from './running-process.ts';

/** What the guardian does when the launcher is gone without having said goodbye. */
export interface Testament {
  stop: RunningProcess[];
  remove: string[];
}

/** The launcher's line to a guardian: a process that outlives even a `kill -9` of the launcher. */
export interface Guard {
  tell(testament: Testament): void;
  /** Everything was stopped in order: the guardian has nothing left to do. */
  dismiss(): void;
}

const guardian = fileURLToPath(new URL('guardian.ts', import.meta.url));

/** `began` learns of each guardian: one that dies is replaced, though not for ever. */
export function startGuard(options: {
  root: string;
  logFile: string;
  began: (guardian: KnownProcess) => void;
}): Guard {
  let last: Testament = { stop: [], remove: [] };
  let livesLeft = 5;
  let child = begin();

  function begin(): ChildProcess {
    livesLeft -= 1;
    const log = openSync(options.logFile, 'a', 0o600);
    // Its own session, so that no Ctrl-C, closed terminal or signal to our group reaches it.
    const started = spawn(process.execPath, ['--import', 'tsx', guardian], {
      cwd: options.root,
      detached: true,
      stdio: ['pipe', log, log],
    });
    closeSync(log);
    started.stdin?.on('error', () => undefined);
    started.on('error', () => undefined);
    started.once('exit', replace);
    started.unref();
    stepBack(started.pid);
    const identity = started.pid === undefined ? undefined : identify(started.pid);
    if (started.pid !== undefined && identity) options.began({ pid: started.pid, identity });
    return started;
  }

  function replace(): void {
    if (livesLeft <= 0) return;
    child = begin();
    tell(last);
  }

  function tell(testament: Testament): void {
    last = testament;
    child.stdin?.write(`${JSON.stringify(testament)}\n`);
  }

  function dismiss(): void {
    livesLeft = 0;
    tell({ stop: [], remove: [] });
    child.stdin?.end();
  }

  return { tell, dismiss };
}

/** It has time: whatever it is told waits in its pipe, while others are in a hurry to start. */
function stepBack(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, 10);
  } catch {
    // It goes without, or is gone.
  }
}
