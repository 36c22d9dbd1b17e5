import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeOnce } from './cached-folder.ts';

let folder: string;
let target: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-cached-'));
  target = join(folder, 'tool');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fillings = { count: 0 };
const make = () =>
  makeOnce(target, async () => {
    fillings.count++;
  });

test('a folder is filled once', async () => {
  await make();
  await make();
  expect(fillings.count).toBe(1);
});

test.each<[string, () => void]>([
  ['everyone may write into', () => chmodSync(target, 0o777)],
  [
    'is a link',
    () => {
      rmSync(target, { recursive: true });
      symlinkSync(folder, target);
    },
  ],
  // Only root can give a folder away.
  ...(process.getuid?.() === 0
    ? [['is owned by another user', () => chownSync(target, 65534, 65534)] as [string, () => void]]
    : []),
])('a folder that %s is refused', async (_, spoil) => {
  mkdirSync(target);
  spoil();
  await expect(make()).rejects.toThrow('is not a folder of this user alone');
});
