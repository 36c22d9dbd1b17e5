import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { identify } from './process-identity.ts';
import type { Program } from './program.ts';
import type { RunningProcess } from './running-process.ts';

const longestLog = 10 * 1024 * 1024;

export interface Spawned {
  /** `undefined` when it could not even be started. */
  process: RunningProcess | undefined;
  /** How it ended, in words, once it has. */
  ended: Promise<string>;
}

/** Starts a program in a session of its own, so that a Ctrl-C reaches the launcher alone. */
export function spawnProgram(program: Program): Spawned {
  const { name, tier, command, args, stopSignal, container } = program;
  const { env, cwd, uid, gid } = program;
  const account = uid === undefined ? {} : { uid, gid };
  const log = openLog(program.logFile);
  try {
    const child = spawn(command, args, { env, cwd, ...account, detached: true, stdio: ['ignore', log, log] });
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    if (child.pid === undefined) return { process: undefined, ended };
    const identity = identify(child.pid) ?? '';
    const running = { name, tier, stopSignal, pid: child.pid, identity, ...(container ? { container } : {}) };
    return { process: running, ended };
  } finally {
    closeSync(log);
  }
}

function openLog(file: string): number {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > longestLog) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}
