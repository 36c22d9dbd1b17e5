import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { lock } from './lock.ts';
import { processStart } from './process-start.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-lock-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('has one holder at a time', () => {
  const path = join(folder, 'one.lock');
  const release = lock(path, 'HS-1');
  expect(() => lock(path, 'HS-1')).toThrow(
    `HS-1 is in use by another relay command (process ${process.pid}).`,
  );
  release();
  lock(path, 'HS-1')();
  expect(existsSync(path)).toBe(false);
});

test('of a process that has ended is taken over', () => {
  const path = join(folder, 'left.lock');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(path, String(pid), { mode: 0o600 });
  lock(path, 'HS-2')();
  writeFileSync(path, 'no pid', { mode: 0o600 });
  lock(path, 'HS-2')();
  expect(readdirSync(folder)).toEqual([]);
});

test('of a process whose pid now belongs to another process is taken over', () => {
  const path = join(folder, 'again.lock');
  const release = lock(path, 'HS-3');
  const [pid, start = ''] = readFileSync(path, 'utf8').split('\n');
  expect([pid, start]).toEqual([String(process.pid), processStart(process.pid)]);
  release();
  writeFileSync(path, `${pid}\nsome earlier ${start}`, { mode: 0o600 });
  lock(path, 'HS-3')();
  expect(readdirSync(folder)).toEqual([]);
});

test('that names only a pid is valid while that process runs', () => {
  const path = join(folder, 'pid.lock');
  writeFileSync(path, String(process.pid), { mode: 0o600 });
  expect(() => lock(path, 'HS-4')).toThrow(`(process ${process.pid})`);
  rmSync(path);
});

test('of a process that ended, and whose exit code was not read, is taken over', async () => {
  const path = join(folder, 'ended.lock');
  // The shell is replaced by a program that never reads the exit code of its child.
  const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60']);
  const [output] = await once(parent.stdout, 'data');
  const pid = Number(String(output));
  await eventually('the end of the child', () => processStart(pid) === 'ended');
  writeFileSync(path, `${pid}\nwhenever`, { mode: 0o600 });
  lock(path, 'HS-5')();
  parent.kill('SIGKILL');
});

/** Takes the lock repeatedly, each time like a process that then crashes: its lock stays, and names an ended holder. */
const racer = (path: string) => `
  import { mkdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
  import { lock } from './lock.ts';
  const path = ${JSON.stringify(path)};
  const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  for (let turns = 0; turns < 150; ) {
    try {
      lock(path, 'HS-6');
    } catch (error) {
      if (error.name !== 'Failure') throw error;
      pause();
      continue;
    }
    // Fails when another process is inside.
    mkdirSync(path + '.inside');
    pause();
    rmdirSync(path + '.inside');
    const left = path + '.left-by-' + process.pid;
    writeFileSync(left, process.pid + '\\nan earlier start', { mode: 0o600 });
    renameSync(left, path);
    turns += 1;
  }`;

test('of ended processes is taken over by one process at a time, even if several try', async () => {
  const path = join(folder, 'race.lock');
  const program = join(folder, 'racer.mjs');
  await build({
    stdin: { contents: racer(path), resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  const ends = Array.from({ length: 5 }, async () => {
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (text) => {
      errors += text;
    });
    const [code] = await once(child, 'close');
    return { code, errors };
  });
  expect(await Promise.all(ends)).toEqual(Array(5).fill({ code: 0, errors: '' }));
});

test('is taken over also if another process ended while it was taking it over', () => {
  const path = join(folder, 'again-and-again.lock');
  for (const left of [path, `${path}.removal`, `${path}.removal.removal`]) {
    writeFileSync(left, `${process.pid}\nan earlier start`, { mode: 0o600 });
  }
  lock(path, 'HS-7')();
  expect(readdirSync(folder).filter((name) => name.startsWith('again-and'))).toEqual([]);
});
