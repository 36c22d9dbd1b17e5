import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { identify, isRunning } from '../processes/running-process.ts';
import { claimHome, type RunRecord } from './claim-home.ts';
import { type Home, openHome } from './home.ts';

let home: Home;
let said: string[];
const say = (line: string) => void said.push(line);

beforeEach(() => {
  home = openHome(mkdtempSync(join(tmpdir(), 'run record-')), {});
  said = [];
});

afterEach(() => rmSync(home.path, { recursive: true }));

/** Writes the files of a run that was killed, or of the run that `holder` has started. */
function leave(
  record: Partial<RunRecord>,
  holder = { pid: process.pid, identity: 'an earlier start' },
): void {
  writeFileSync(home.file('run.lock'), `${holder.pid}\n${holder.identity}`);
  writeFileSync(home.file('run.json'), JSON.stringify({ stopping: false, processes: [], ...record }));
}

function sleeper() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
  const pid = child.pid ?? 0;
  return { name: 'redis', tier: 0, stopSignal: 'SIGTERM', pid, identity: identify(pid) ?? '' } as const;
}

describe('claiming a home', () => {
  test('a second run is refused with an error that says what to do', async () => {
    const claim = await claimHome(home, say);
    await expect(claimHome(home, say)).rejects.toThrow(
      new RegExp(`already runs with .* \\(process ${process.pid}\\).*RELAY_HOME=`),
    );
    claim.release();
    expect(readdirSync(home.path).filter((name) => name.startsWith('run'))).toEqual([]);
    (await claimHome(home, say)).release();
    expect(said).toEqual([]);
  });

  test('stops the processes that a killed run has left', async () => {
    const orphan = sleeper();
    leave({ processes: [orphan] });
    (await claimHome(home, say)).release();
    expect(isRunning(orphan)).toBe(false);
    expect(said).toEqual(['Stopped what a killed run had left behind.']);
  });

  test('does not stop another process that has the pid of a recorded one', async () => {
    const stranger = sleeper();
    leave({ processes: [{ ...stranger, identity: 'an earlier start' }] });
    (await claimHome(home, say)).release();
    expect(isRunning(stranger)).toBe(true);
    process.kill(stranger.pid, 'SIGKILL');
    expect(said).toEqual([]);
  });

  test('waits for one that is about to stop', async () => {
    const stopping = sleeper();
    leave({ stopping: true }, stopping);
    const sayAndStop = (line: string) => {
      say(line);
      process.kill(stopping.pid, 'SIGKILL');
    };
    (await claimHome(home, sayAndStop)).release();
    expect(said).toEqual(['Waiting for the previous run to stop.']);
  });
});
