import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { identify, type RunningProcess } from './running-process.ts';

/** A program that the supervisor keeps running. */
export interface Program extends Omit<RunningProcess, 'pid' | 'identity'> {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  uid?: number;
  gid?: number;
  logFile: string;
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
  const { command, args, logFile, name, tier, stopSignal, container } = program;
  const { env, cwd, uid, gid } = program;
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) {
    renameSync(logFile, `${logFile}.1`);
  }
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(command, args, {
    env,
    cwd,
    ...(uid !== undefined && gid !== undefined && { uid, gid }),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const { pid } = child;
  if (pid === undefined) return { process: undefined, ended };
  const identity = identify(pid) ?? '';
  return { process: { name, tier, stopSignal, ...(container && { container }), pid, identity }, ended };
}
