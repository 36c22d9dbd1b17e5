import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, isRunning, type KnownProcess } from '../processes/process-identity.ts';
import type { RunningProcess } from '../processes/running-process.ts';
import { stopProcesses } from '../processes/stop-processes.ts';
import { StepError } from '../terminal/step-error.ts';
import { claimFile, type FileClaim, parse } from './claim-file.ts';
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

/** Writes our record where there is none, or only that of a launcher that has ended. Returns the latter. */
async function takeOver(file: string, record: RunRecord, say: (line: string) => void) {
  let previous: RunRecord | undefined;
  let patience = 6;
  let waited = false;
  const claim: FileClaim = {
    mode: 0o600,
    holderOf: (text) => parse<RunRecord>(text)?.launcher,
    textAfter(left) {
      previous = left === undefined ? undefined : parse<RunRecord>(left);
      // Should we be killed while clearing up, the next one still finds what is left.
      return JSON.stringify({ ...record, processes: previous?.processes ?? [] });
    },
  };
  while (!claimFile(file, claim)) {
    const holder = readRecord(file);
    if (holder && isRunning(holder.launcher)) {
      // One whose npm was killed notices it within a moment, and is then on its way out.
      if (!holder.stopping && patience-- <= 0) throw alreadyRunning(dirname(file), holder.launcher.pid);
      if (holder.stopping && !waited) say('Waiting for the previous run to stop.');
      waited ||= holder.stopping;
    }
    await pause(250);
  }
  return previous;
}

function readRecord(file: string): RunRecord | undefined {
  try {
    return readJson<RunRecord>(file);
  } catch {
    return undefined;
  }
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
