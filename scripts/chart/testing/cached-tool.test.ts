import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { cachedTool } from './cached-tool.ts';

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'relay-tools-'));
});
afterEach(() => rmSync(cache, { recursive: true }));

test('a tool is made once for all that ask for it', async () => {
  let made = 0;
  const make = async (folder: string) => {
    made++;
    writeFileSync(join(folder, 'tool'), '');
  };
  const folders = await Promise.all([cachedTool('a-1', make, cache), cachedTool('a-1', make, cache)]);
  expect(made).toBe(1);
  expect(folders.every((folder) => existsSync(join(folder, 'tool')))).toBe(true);
});

test('one that could not be made is tried again', async () => {
  await expect(cachedTool('a-1', () => Promise.reject(new Error('no network')), cache)).rejects.toThrow(
    'no network',
  );
  await cachedTool('a-1', async () => {}, cache);
});

test.each(['/proc', '/dev/null/tools'])('a cache that cannot be written is named: %s', async (folder) => {
  await expect(cachedTool('a-1', async () => {}, folder)).rejects.toThrow(folder);
});

test('a maker that was killed does not block the others', async () => {
  mkdirSync(join(cache, 'a-1.part'));
  // No process has this id: it is above the limit of every system.
  writeFileSync(join(cache, 'a-1.lock'), '4194305');
  await cachedTool('a-1', async () => {}, cache);
});
