import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Program } from './program.ts';
import { isRunning, type RunningProcess, stopProcesses } from './running-process.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

let folder: string;
let said: string[];
let running: readonly RunningProcess[];
let supervisor: Supervisor;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'supervisor-'));
  said = [];
  running = [];
  supervisor = createSupervisor({ say: (line) => said.push(line), firstPauseMs: 10 });
  supervisor.watch((now) => {
    running = now;
  });
});

afterEach(async () => {
  await supervisor.stop();
  rmSync(folder, { recursive: true });
});

/** Writes a line once it handles signals; that it did is how the supervisor knows it is ready. */
function program(name: string, tier = 1, onTerm = 'process.exit(0)'): Program {
  const logFile = join(folder, `${name}.log`);
  const code = `process.on('SIGTERM', () => { ${onTerm} }); setInterval(() => {}, 1000); console.log(process.pid)`;
  return {
    name,
    tier,
    command: process.execPath,
    args: ['-e', code],
    env: { PATH: process.env.PATH },
    cwd: folder,
    logFile,
    stopSignal: 'SIGTERM',
    notReady: async () => {
      const pid = running.find((one) => one.name === name)?.pid;
      return pid && readFileSync(logFile, 'utf8').includes(`${pid}\n`) ? undefined : 'no line yet';
    },
  };
}

const pidOf = (name: string) => running.find((one) => one.name === name)?.pid ?? 0;

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition() && tries < 3_000; tries += 1) await pause(20);
  expect(condition()).toBe(true);
}

describe('a supervisor', () => {
  test('starts a program again that was killed, and says so in two lines', async () => {
    await supervisor.start(program('one'));
    const first = pidOf('one');
    process.kill(first, 'SIGKILL');
    await until(() => said.length === 2);
    expect(pidOf('one')).not.toBe(first);
    expect(said).toEqual([
      'one ended unexpectedly (SIGKILL); starting it again in 0.0 s',
      expect.stringMatching(/^one is back {2}\d/),
    ]);
  });

  test('restarts on request with the same program and without an alarm', async () => {
    await supervisor.start(program('one'));
    const first = pidOf('one');
    // Two changes at the same time.
    await Promise.all([supervisor.restart('one'), supervisor.restart('one')]);
    await until(() => said.length === 1);
    expect(pidOf('one')).not.toBe(first);
    expect(said[0]).toMatch(/^one reloaded/);
    process.kill(pidOf('one'), 'SIGKILL');
    await until(() => said.length === 3);
    expect(said[1]).toMatch(/^one ended unexpectedly/);
  });

  test('refuses a program that ends before it is ready, with the end of its log', async () => {
    const broken = {
      ...program('broken'),
      args: ['-e', 'console.error("no such setting"); process.exit(1)'],
    };
    await expect(supervisor.start(broken)).rejects.toMatchObject({
      message: expect.stringContaining('broken did not start: it ended (exit code 1)'),
      output: ['no such setting'],
    });
  });

  test('refuses a program that cannot even be run', async () => {
    const absent = { ...program('absent'), command: join(folder, 'absent') };
    await expect(supervisor.start(absent)).rejects.toThrow(/absent did not start: it ended \(.*ENOENT/);
  });

  test('stops the higher tier before the lower one, and leaves nothing', async () => {
    const order = join(folder, 'order');
    const noting = (name: string) =>
      `require('fs').appendFileSync(${JSON.stringify(order)}, '${name} '); process.exit(0)`;
    await supervisor.start(program('server', 0, noting('server')));
    await supervisor.start(program('edge', 3, noting('edge')));
    const all = [...running];
    await supervisor.stop();
    expect(readFileSync(order, 'utf8')).toBe('edge server ');
    expect(all.filter(isRunning)).toEqual([]);
    expect(said).toEqual([]);
  });

  test('kills a program that does not stop within the limit', async () => {
    await supervisor.start(program('stuck', 1, ''));
    const processes = [...running];
    expect(processes.filter(isRunning)).toHaveLength(1);
    await stopProcesses(processes, 200);
    expect(processes.filter(isRunning)).toEqual([]);
  });
});
