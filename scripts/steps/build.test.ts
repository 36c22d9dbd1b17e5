import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { allBuilt, stampSources, stampWeb } from './build.ts';

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
  for (const file of ['index.html', 'src/main.tsx', 'dist/index.html']) put(`services/dashboard/web/${file}`);
  for (const file of ['package.json', 'src/index.ts']) put(`packages/sdk/${file}`);
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

test('the stamp of the web app stays while other things change', () => {
  const before = stampWeb(root);
  put('services/dashboard/web/dist/index.html', 'built again');
  put('services/hub/src/main.ts', 'text');
  put('packages/sdk/dist/index.js');
  expect(stampWeb(root)).toBe(before);
});

test.each([
  ['a source file of it grows', () => put('services/dashboard/web/src/main.tsx', 'text')],
  ['its page is touched', () => utimesSync(join(root, 'services/dashboard/web/index.html'), 2, 2)],
  ['an icon comes', () => put('services/dashboard/web/public/icon.svg')],
  ['the SDK changes', () => put('packages/sdk/src/index.ts', 'text')],
  ['other packages are installed', () => put('package-lock.json', '{}')],
])('the stamp of the web app changes when %s', (_what, change) => {
  const before = stampWeb(root);
  change();
  expect(stampWeb(root)).not.toBe(before);
});

test('it is built when each workspace is', () => {
  put('packages/kit/dist/.tsbuildinfo');
  expect(allBuilt(root)).toBe(false);
  put('services/hub/dist/.tsbuildinfo');
  expect(allBuilt(root)).toBe(true);
});
