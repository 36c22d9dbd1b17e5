import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { allBuilt, stampSources } from './source-stamp.ts';

let root: string;

function put(file: string, text = ''): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  utimesSync(join(root, file), 1, 1);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'source stamp-'));
  for (const file of ['tsconfig.base.json', 'tsconfig.build.json', 'package-lock.json']) put(file);
  for (const folder of ['packages/kit', 'services/hub']) {
    for (const file of ['tsconfig.json', 'package.json', 'src/main.ts', 'src/deep/er.ts'])
      put(`${folder}/${file}`);
  }
});

afterEach(() => rmSync(root, { recursive: true }));

test('the stamp stays while nothing is saved', () => expect(stampSources(root)).toBe(stampSources(root)));

test.each([
  ['a source file grows', () => put('services/hub/src/deep/er.ts', 'text')],
  ['a source file is touched', () => utimesSync(join(root, 'packages/kit/src/main.ts'), 2, 2)],
  ['a source file comes', () => put('packages/kit/src/new.ts')],
  ['a source file goes', () => rmSync(join(root, 'packages/kit/src/main.ts'))],
  ['the compiler is set otherwise', () => put('tsconfig.base.json', '{}')],
])('the stamp changes when %s', (_what, change) => {
  const before = stampSources(root);
  change();
  expect(stampSources(root)).not.toBe(before);
});

test('it is built when each workspace is', () => {
  put('packages/kit/dist/.tsbuildinfo');
  expect(allBuilt(root)).toBe(false);
  put('services/hub/dist/.tsbuildinfo');
  expect(allBuilt(root)).toBe(true);
});
