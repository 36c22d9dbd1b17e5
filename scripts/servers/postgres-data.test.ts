import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { identify } from '../processes/running-process.ts';
import { clearStalePidFile } from './postgres-data.ts';

let data: string;
let file: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'postgres data-'));
  file = join(data, 'postmaster.pid');
});

afterEach(() => rmSync(data, { recursive: true }));

test('a pid that another program has now is removed, and that program is not stopped', () => {
  writeFileSync(file, `${process.pid}\n${data}\n`);
  clearStalePidFile(data);
  expect(existsSync(file)).toBe(false);
  expect(identify(process.pid)).toBeDefined();
});

test('a dead pid is left to Postgres, which checks for orphans besides', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  writeFileSync(file, `${child.pid}\n`);
  clearStalePidFile(data);
  expect(existsSync(file)).toBe(true);
});

test('the pid file of a server that still has the data open is left to Postgres', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', data]);
  writeFileSync(file, `${child.pid}\n`);
  clearStalePidFile(data);
  expect(existsSync(file)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
});
