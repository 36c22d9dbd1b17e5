import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { identify } from '../processes/process-identity.ts';
import { clearStalePidFile } from './postgres-data.ts';

let data: string;
let file: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'postgres data-'));
  file = join(data, 'postmaster.pid');
});

afterEach(() => rmSync(data, { recursive: true }));

test('a pid that another program has by now is removed, and that program left alone', async () => {
  writeFileSync(file, `${process.pid}\n${data}\n`);
  await clearStalePidFile(data);
  expect(existsSync(file)).toBe(false);
  expect(identify(process.pid)).toBeDefined();
});

test('a dead pid is left to Postgres, which checks for orphans besides', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => child.once('exit', resolve));
  writeFileSync(file, `${child.pid}\n`);
  await clearStalePidFile(data);
  expect(existsSync(file)).toBe(true);
});

test('a server that still has the data open is stopped', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', data]);
  const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
  writeFileSync(file, `${child.pid}\n`);
  await clearStalePidFile(data);
  expect(await ended).toBe('SIGINT');
});
