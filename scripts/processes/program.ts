import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { identify } from './process-identity.ts';
import type { RunningProcess } from './stop-processes.ts';

/** A program that the supervisor keeps running. */
export interface Program {
  name: string;
  tier: number;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  uid?: number;
  gid?: number;
  logFile: string;
  stopSignal: NodeJS.Signals;
  container?: string;
  /** Runs before each start: removes what a killed process of the same program has left. */
  prepare?(): Promise<void>;
  /** Why it does not work yet; `undefined` once it does. */
  notReady(): Promise<string | undefined>;
}

export interface Spawned {
  /** `undefined` when it could not be started. */
  process: RunningProcess | undefined;
  /** Resolves when it has ended, with the exit code or signal in words. */
  ended: Promise<string>;
}

const maxLogBytes = 10 * 1024 * 1024;

/** Starts a program in a session of its own, so that Ctrl-C reaches only the process that started it. */
export function spawnProgram(program: Program): Spawned {
  const { name, tier, command, args, stopSignal, container, env, cwd, uid, gid } = program;
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
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}
