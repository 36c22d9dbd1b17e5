import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lock } from './lock.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-lock-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('is held by one at a time', () => {
  const path = join(folder, 'one.lock');
  const release = lock(path, 'HS-1');
  expect(() => lock(path, 'HS-1')).toThrow(
    `HS-1 is in use by another relay command (process ${process.pid}).`,
  );
  release();
  lock(path, 'HS-1')();
  expect(existsSync(path)).toBe(false);
});

test('of a process that is gone is taken over', () => {
  const path = join(folder, 'left.lock');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(path, String(pid), { mode: 0o600 });
  lock(path, 'HS-2')();
  writeFileSync(path, 'nobody', { mode: 0o600 });
  lock(path, 'HS-2')();
  expect(readdirSync(folder)).toEqual([]);
});
