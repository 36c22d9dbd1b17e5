import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openMemory } from './memory.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-memory-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const day = 24 * 3_600_000;
const open = (side: 'agents' | 'experts' = 'agents', now = Date.now()) => openMemory(folder, side, () => now);

test('keeps the value that was remembered first, until another one is set', async () => {
  expect(await open().get('expert')).toBeUndefined();
  // Both are opened before either has written.
  const [one, other] = [open(), open()];
  const remembered = [await one.remember('expert', 'first'), await other.remember('expert', 'second')];
  expect(remembered).toEqual(['first', 'first']);
  await one.set('expert', 'third');
  expect(await other.get('expert')).toBe('third');
});

test('is another one for agents than for experts', async () => {
  await open().set('expert', 'known');
  const other = open('experts');
  expect([await other.get('expert'), other.values()]).toEqual([undefined, []]);
  other.forget(() => true);
  expect(open().values()).toEqual(['known']);
  open().forget(() => true);
  expect(open().values()).toEqual([]);
});

test('ignores values that an earlier version stored for a user', async () => {
  const experts = { 'expert:user-1': 'a stranger' };
  writeFileSync(join(folder, 'known-experts.json'), JSON.stringify({ version: 1, experts }), { mode: 0o600 });
  expect(open().values()).toEqual([]);
});

test('removes values that are older than a given age', async () => {
  await open().set('request:1', 'keys');
  open('agents', Date.now() + 32 * day).forgetOlderThan(33 * day);
  expect(open().values()).toEqual(['keys']);
  open('agents', Date.now() + 34 * day).forgetOlderThan(33 * day);
  expect(open().values()).toEqual([]);
});
