import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { findPrograms } from './find-program.ts';
import { redis } from './redis.ts';
import { pickProgram } from './server-kind.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'find program-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function put(place: string, says: string, name = 'redis-server'): string {
  mkdirSync(join(folder, place), { recursive: true });
  writeFileSync(join(folder, place, name), `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 });
  return join(folder, place);
}

const without = { ...redis, folders: [] };

test('programs are found on PATH, those too old or broken left out', async () => {
  const path = [
    put('old', 'Redis server v=5.0.1'),
    put('broken', 'Segmentation fault'),
    join(folder, 'absent'),
    put('good', 'Redis server v=7.2.4'),
  ].join(':');
  expect(await findPrograms(without, path)).toEqual([
    { path: join(folder, 'good/redis-server'), version: '7.2.4' },
  ]);
});

test('in folders with a version in their name the newest comes first', async () => {
  put('lib/9/bin', 'v=6.2.9');
  put('lib/14/bin', 'v=7.0.1');
  const found = await findPrograms({ ...redis, folders: [join(folder, 'lib/*/bin')] }, '');
  expect(found.map(({ version }) => version)).toEqual(['7.0.1', '6.2.9']);
});

test('data is given only to a program of the version that made it', async () => {
  const programs = [
    { path: '/new/postgres', version: '17.2' },
    { path: '/old/postgres', version: '15.18' },
  ];
  expect(pickProgram({ kind: { ...redis, majorOfData: () => '15' }, data: folder }, programs)?.version).toBe(
    '15.18',
  );
  expect(
    pickProgram({ kind: { ...redis, majorOfData: () => '16' }, data: folder }, programs),
  ).toBeUndefined();
  expect(
    pickProgram({ kind: { ...redis, majorOfData: () => undefined }, data: folder }, programs)?.version,
  ).toBe('17.2');
});
