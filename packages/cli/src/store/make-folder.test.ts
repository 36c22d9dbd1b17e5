import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeFolder } from './make-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-make-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('makes the folders above it, and is content with one that is there', () => {
  const path = join(folder, 'a/b/c');
  for (const _ of [1, 2]) makeFolder(path, 0o700);
  for (const one of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, one)).mode & 0o777).toBe(0o700);
});

test('fails where there is a file', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(folder, 'file/a/b'))).toThrow('ENOTDIR');
});

test('fails where the system takes no folders', () => {
  expect(() => makeFolder('/proc/relay/a')).toThrow('ENOENT');
});
