import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as z from 'zod';
import { openJsonFile } from './json-file.ts';
import { readPrivate, writePrivate } from './private-file.ts';
import { makePrivateFolder } from './private-folder.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-store-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const jsonFile = (path: string) =>
  openJsonFile({ path, schema: z.object({ a: z.number() }), withoutIt: 'nothing is lost.' });

test('files and folders can be read only by their owner, and no temporary files are left', () => {
  const path = join(folder, 'new', 'deep', 'file');
  writePrivate(path, 'one');
  writePrivate(path, 'two');
  expect(readPrivate(path)).toBe('two');
  expect([modeOf(path), modeOf(join(folder, 'new')), modeOf(join(folder, 'new/deep'))]).toEqual([
    '600',
    '700',
    '700',
  ]);
  expect(readdirSync(join(folder, 'new/deep'))).toEqual(['file']);
});

test('a missing file is undefined', () => {
  expect(readPrivate(join(folder, 'absent'))).toBeUndefined();
  expect(jsonFile(join(folder, 'absent')).read()).toBeUndefined();
});

test.each([0o640, 0o604, 0o777])('a file of mode %o is refused, and the error says what to do', (mode) => {
  const path = join(folder, `open-${mode}`);
  writeFileSync(path, '{"a":1}');
  chmodSync(path, mode);
  expect(() => readPrivate(path)).toThrow(`Close it: chmod 600 '${path}'`);
  chmodSync(path, 0o600);
  expect(jsonFile(path).read()).toEqual({ a: 1 });
});

test('a folder that others can enter is refused', () => {
  const path = join(folder, 'open');
  mkdirSync(path);
  chmodSync(path, 0o755);
  expect(() => makePrivateFolder(path)).toThrow(`(mode 755). Close it: chmod 700 '${path}'`);
});

test.each(['', '{', '{"a":"b"}', '[]', '\0\0'])(
  'broken content (%j) is refused, and left where it is',
  (text) => {
    const path = join(folder, 'broken');
    writePrivate(path, text);
    expect(() => jsonFile(path).read()).toThrow(`The file ${path} is broken.`);
    expect(() => jsonFile(path).read()).toThrow('nothing is lost.');
    expect(readPrivate(path)).toBe(text);
  },
);

test('a path that cannot be used gives an error for people', () => {
  writePrivate(join(folder, 'plain'), '');
  expect(() => makePrivateFolder(join(folder, 'plain/in'))).toThrow('part of its path is a file (ENOTDIR)');
  expect(() => readPrivate(folder)).toThrow('a folder is where a file should be');
});
