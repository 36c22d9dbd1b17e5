import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openHome } from '../local/home.ts';
import { findPrograms, findVersion, isAtLeast, pickProgram } from './find-program.ts';
import { redis } from './redis.ts';

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
  expect(await findPrograms(without, { PATH: path })).toEqual([
    { path: join(folder, 'good/redis-server'), version: '7.2.4' },
  ]);
});

test('data is given only to a program of the version that made it', () => {
  const programs = [
    { path: '/new/postgres', version: '17.2' },
    { path: '/old/postgres', version: '15.18' },
  ];
  const versionFor = (major: string | undefined) => {
    const kind = { ...redis, majorOfData: () => major };
    const placement = {
      kind,
      home: openHome(folder, {}),
      data: folder,
      port: 1,
      password: '',
      durable: true,
    };
    return pickProgram(placement, programs)?.version;
  };
  expect(versionFor('15')).toBe('15.18');
  expect(versionFor('16')).toBeUndefined();
  expect(versionFor(undefined)).toBe('17.2');
});

describe('the version that a program prints', () => {
  test.each([
    ['postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)', '15.18'],
    ['postgres (PostgreSQL) 18beta1', '18'],
    ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '7.0.15'],
    ['Valkey server v=8.0.1 sha=0', '8.0.1'],
    ['nats-server: v2.9.10', '2.9.10'],
    ['command not found', undefined],
  ])('%s', (text, version) => expect(findVersion(text)).toBe(version));
});

describe('whether a version is new enough', () => {
  test.each([
    ['15.18', '14', true],
    ['14', '14', true],
    ['13.9', '14', false],
    ['6.2', '6.2', true],
    ['6.10.1', '6.2', true],
    ['6.0.20', '6.2', false],
    ['2.10.0', '2.9', true],
    ['10', '9.6', true],
  ])('%s for at least %s: %s', (version, minimum, enough) =>
    expect(isAtLeast(version, minimum)).toBe(enough),
  );
});
