import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
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
  known(): KnownProcess | undefined;
  tell(testament: Testament): void;
  /** Everything was stopped in order: the guardian has nothing left to do. */
  dismiss(): void;
}

const guardian = fileURLToPath(new URL('guardian.ts', import.meta.url));

export function startGuard(root: string, logFile: string): Guard {
  let last: Testament = { stop: [], remove: [] };
  let dismissed = false;
  let child = begin();

  function begin(): ChildProcess {
    const began = Date.now();
    const log = openSync(logFile, 'a', 0o600);
    // Its own session, so that no Ctrl-C, closed terminal or signal to our group reaches it.
    const started = spawn(process.execPath, ['--import', 'tsx', guardian], {
      cwd: root,
      detached: true,
      stdio: ['pipe', log, log],
    });
    closeSync(log);
    started.stdin?.on('error', () => undefined);
    started.on('error', () => undefined);
    started.once('exit', () => {
      if (dismissed || Date.now() - began < 1_000) return;
      child = begin();
      send(last);
    });
    started.unref();
    return started;
  }

  function send(message: Testament): void {
    child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  return {
    known() {
      const identity = child.pid === undefined ? undefined : identify(child.pid);
      return child.pid !== undefined && identity ? { pid: child.pid, identity } : undefined;
    },
    tell(testament) {
      last = testament;
      send(testament);
    },
    dismiss() {
      dismissed = true;
      send({ stop: [], remove: [] });
      child.stdin?.end();
    },
  };
}
