import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readHolder, takeLock } from '../../packages/cli/src/store/lock-file.ts';
import { isRunning, type RunningProcess, stopProcesses } from '../processes/running-process.ts';
import { StepError } from '../terminal/failure.ts';
import { type Home, readJson, root, writeJson } from './home.ts';

/** What `run.json` holds: what a run that is killed leaves behind. */
export interface RunRecord {
  /** Whether the run is about to release the home. */
  stopping: boolean;
  processes: readonly RunningProcess[];
  /** Files and folders that exist only while it runs. */
  remove: readonly string[];
}

/** A folder that only this process uses. */
export interface Claim {
  update(change: Partial<RunRecord>): void;
  release(): void;
}

const pollMs = 250;
/** A run whose npm was killed notices that within this time, and then stops. */
const noticeMs = 2_500;

/**
 * Makes this process the only user of the folder, and stops what a killed run has left there. Waits for a run that is
 * stopping, and throws while one is running.
 */
export async function claimHome(home: Home, say: (line: string) => void): Promise<Claim> {
  const [lock, file] = [home.file('run.lock'), home.file('run.json')];
  let saidThatItWaits = false;
  for (let waitedMs = 0; !takeLock(lock); waitedMs += pollMs) {
    const isStopping = readRecord(file).stopping === true;
    if (!isStopping && waitedMs >= noticeMs) throw alreadyRunning(home.path, readHolder(lock)?.pid);
    if (isStopping && !saidThatItWaits) say('Waiting for the previous run to stop.');
    saidThatItWaits ||= isStopping;
    await pause(pollMs);
  }
  const { processes = [], remove = [] } = readRecord(file);
  // They stay in the record until they are stopped, for the next run in case this one is killed too.
  const left = processes.filter(isRunning);
  writeJson(file, { stopping: left.length > 0, processes, remove } satisfies RunRecord);
  await stopProcesses(processes, 10_000);
  for (const path of remove) rmSync(path, { recursive: true, force: true });
  if (left.length > 0) say('Stopped what a killed run had left behind.');
  const record: RunRecord = { stopping: false, processes: [], remove: [] };
  return {
    update: (change) => writeJson(file, Object.assign(record, change)),
    release() {
      rmSync(file, { force: true });
      rmSync(lock, { force: true });
    },
  };
}

const readRecord = (file: string): Partial<RunRecord> => readJson(file) ?? {};

/**
 * Cleans up a home as soon as this process has ended without a call of the result, even by `kill -9`: the input of a
 * shell ends then, and the shell starts the program that claims the home. It takes a hundredth of Node's memory.
 */
export function startWatchdog(home: Home): () => void {
  const log = openSync(home.log('watchdog'), 'a', 0o600);
  const program = [process.execPath, '--import', 'tsx', 'scripts/local/clean-up.ts', home.path];
  const shell = ['-c', 'read -r line || exec "$@"', 'watchdog', ...program];
  // Detached: neither Ctrl-C, nor a closed terminal, nor a signal to our process group reaches it.
  const child = spawn('sh', shell, { cwd: root, detached: true, stdio: ['pipe', log, log] });
  closeSync(log);
  const { stdin } = child;
  for (const emitter of [child, stdin]) emitter?.on('error', () => undefined);
  child.unref();
  return () => stdin?.end('done\n');
}

function alreadyRunning(folder: string, pid: number | undefined): StepError {
  return new StepError(
    `Expert Relay already runs with ${folder} (process ${pid}). Stop it there with Ctrl-C or by ` +
      `kill ${pid}, or give this one a folder of its own: RELAY_HOME=<folder> npm start`,
  );
}
