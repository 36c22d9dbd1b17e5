import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { fingerprint, webApp } from './build.ts';

let root: string;

function put(file: string, text = ''): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

const stamp = () => fingerprint(webApp.inputs, root);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'source stamp-'));
  for (const file of ['index.html', 'src/main.tsx', 'dist/index.html']) put(`services/dashboard/web/${file}`);
  for (const file of ['package.json', 'src/index.ts']) put(`packages/sdk/${file}`);
  for (const file of ['tsconfig.base.json', 'package-lock.json']) put(file);
});

afterEach(() => rmSync(root, { recursive: true }));

test('the web app is not built again while other things change', () => {
  const before = stamp();
  put('services/dashboard/web/dist/index.html', 'built again');
  put('services/hub/src/main.ts', 'text');
  put('packages/sdk/dist/index.js');
  utimesSync(join(root, 'services/dashboard/web/index.html'), 2, 2);
  expect(stamp()).toBe(before);
});

test.each([
  ['a source file of it grows', () => put('services/dashboard/web/src/main.tsx', 'text')],
  ['a source file is removed', () => rmSync(join(root, 'services/dashboard/web/src/main.tsx'))],
  ['an icon is added', () => put('services/dashboard/web/public/icon.svg')],
  ['the SDK changes', () => put('packages/sdk/src/index.ts', 'text')],
  ['other packages are installed', () => put('package-lock.json', '{}')],
])('the web app is built again when %s', (_what, change) => {
  const before = stamp();
  change();
  expect(stamp()).not.toBe(before);
});
