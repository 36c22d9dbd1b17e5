import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readHolder, takeLock } from '../../packages/cli/src/store/lock-file.ts';
import { isRunning, type KnownProcess } from '../processes/process-identity.ts';
import { type RunningProcess, stopProcesses } from '../processes/stop-processes.ts';
import { StepError } from '../terminal/failure.ts';
import { type Home, writeJson } from './home.ts';

/** What `run.json` holds: what must be stopped if this run is killed. */
export interface RunRecord {
  stopping: boolean;
  watchdog?: KnownProcess;
  processes: RunningProcess[];
}

export interface Claim {
  update(change: Partial<RunRecord>): void;
  release(): void;
}

const pollMs = 250;
/** A run whose npm was killed notices that within this time, and then stops. */
const noticeMs = 1_500;

/**
 * Makes this process the only user of the folder: takes `run.lock`, and stops what a killed run has left. Waits for a
 * run that is stopping, and throws while one is running.
 */
export async function claimHome(home: Home, say: (line: string) => void): Promise<Claim> {
  const [lock, file] = [home.file('run.lock'), home.file('run.json')];
  let saidThatItWaits = false;
  for (let waitedMs = 0; !takeLock(lock); waitedMs += pollMs) {
    const isStopping = readRecord(file)?.stopping === true;
    if (!isStopping && waitedMs >= noticeMs) throw alreadyRunning(home.path, readHolder(lock)?.pid);
    if (isStopping && !saidThatItWaits) say('Waiting for the previous run to stop.');
    saidThatItWaits ||= isStopping;
    await pause(pollMs);
  }
  // Until then the record of the killed run stays, for the next run in case this one is killed too.
  const previous = readRecord(file);
  if (previous && (await stopRemains(previous)) > 0) say('Stopped what a killed run had left behind.');

  const record: RunRecord = { stopping: false, processes: [] };
  const update = (change: Partial<RunRecord>) => writeJson(file, Object.assign(record, change));
  update({});
  return {
    update,
    release() {
      rmSync(file, { force: true });
      rmSync(lock, { force: true });
    },
  };
}

/** A record that was not written to its end counts as none. */
function readRecord(file: string): RunRecord | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
  } catch {
    return undefined;
  }
}

/** Waits for the watchdog, then stops what still runs. Returns how many processes that were. */
async function stopRemains({ watchdog, processes }: RunRecord): Promise<number> {
  const deadline = Date.now() + 30_000;
  while (watchdog && isRunning(watchdog) && Date.now() < deadline) await pause(50);
  const left = processes.filter(isRunning);
  // A container may run although its client has ended.
  const toStop = processes.filter((one) => one.container || isRunning(one));
  await stopProcesses(toStop, { limit: 10_000 });
  return left.length;
}

function alreadyRunning(folder: string, pid: number | undefined): StepError {
  return new StepError(
    `Expert Relay already runs with ${folder} (process ${pid}). Stop it there with Ctrl-C or by ` +
      `kill ${pid}, or give this one a folder of its own: RELAY_HOME=<folder> npm start`,
  );
}
