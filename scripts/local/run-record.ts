import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, isRunning, type KnownProcess } from '../processes/process-identity.ts';
import type { RunningProcess } from '../processes/running-process.ts';
import { stopProcesses } from '../processes/stop-processes.ts';
import { StepError } from '../terminal/step-error.ts';
import type { Home } from './home.ts';
import { readJson, writeJson } from './json-file.ts';

/** Who uses a RELAY_HOME, and what has to be stopped should they vanish. */
export interface RunRecord {
  launcher: KnownProcess;
  guardian?: KnownProcess;
  stopping: boolean;
  processes: RunningProcess[];
}

export interface Claim {
  update(change: Partial<RunRecord>): void;
  release(): void;
}

/**
 * Makes this process the only user of the folder. Clears up after one that was killed, waits for
 * one that is about to stop, and refuses while one is running.
 */
export async function claimHome(home: Home, say: (line: string) => void): Promise<Claim> {
  const file = home.file('run.json');
  const record: RunRecord = {
    launcher: { pid: process.pid, identity: identify(process.pid) ?? '' },
    stopping: false,
    processes: [],
  };
  const previous = await takeOver(file, record, say);
  const update = (change: Partial<RunRecord>) => writeJson(file, Object.assign(record, change));
  const release = () => rmSync(file, { force: true });

  if (previous && (await clearUp(previous)) > 0) say('Stopped what a killed run had left behind.');
  update({ processes: [] });
  return { update, release };
}

/** Writes our record where there is none, or only that of a dead launcher; answers the latter. */
async function takeOver(file: string, record: RunRecord, say: (line: string) => void) {
  let previous: RunRecord | undefined;
  let patience = 6;
  let waited = false;
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(record), { flag: 'wx', mode: 0o600 });
      return previous;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readRecord(file);
    if (holder && isRunning(holder.launcher)) {
      // One whose npm was killed notices it within a moment, and is then on its way out.
      if (!holder.stopping && patience-- <= 0) throw alreadyRunning(dirname(file), holder.launcher.pid);
      if (holder.stopping && !waited) say('Waiting for the previous run to stop.');
      waited ||= holder.stopping;
      await pause(250);
      continue;
    }
    previous = moveAway(file) ?? previous;
    // Should we be killed while clearing up, the next one still finds what is left.
    record.processes = previous?.processes ?? [];
  }
}

function readRecord(file: string): RunRecord | undefined {
  try {
    return readJson<RunRecord>(file);
  } catch {
    // Half written: its launcher died at that very moment.
    return undefined;
  }
}

/** Of several that find the same dead record, only one gets to move it. */
function moveAway(file: string): RunRecord | undefined {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch {
    return undefined;
  }
  const record = readRecord(aside);
  if (record && isRunning(record.launcher)) {
    // Another took over between our look and our move.
    renameSync(aside, file);
    return undefined;
  }
  rmSync(aside);
  return record;
}

/** Lets the guardian finish, then stops what it did not get to. Answers how many were left. */
async function clearUp({ guardian, processes }: RunRecord): Promise<number> {
  const deadline = Date.now() + 30_000;
  while (guardian && isRunning(guardian) && Date.now() < deadline) await pause(50);
  const left = processes.filter(isRunning);
  // Containers are no processes of ours: they are asked for by name.
  await stopProcesses(
    processes.filter((one) => isRunning(one) || one.container),
    { limit: 10_000 },
  );
  return left.length;
}

function alreadyRunning(folder: string, pid: number): StepError {
  return new StepError(
    `Expert Relay already runs with ${folder} (process ${pid}). Stop it there with Ctrl-C or by ` +
      `kill ${pid}, or give this one a folder of its own: RELAY_HOME=<folder> npm start`,
  );
}
