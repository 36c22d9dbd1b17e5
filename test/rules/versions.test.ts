import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readVersions, statesVersion, writeVersions } from '../../scripts/release/versions.ts';
import { root, type Tree } from './tree.ts';

/** The files of this repository that state its version. */
function readStatements(): Tree {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  return new Map(files.filter(statesVersion).map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** Files whose version differs from that of the product. */
function wrongVersions(tree: Tree): string[] {
  const { version } = JSON.parse(tree.get('package.json') ?? '{}');
  return [...tree]
    .filter(([file]) => statesVersion(file))
    .flatMap(([file, text]) => readVersions(file, text))
    .filter((stated) => stated.version !== version)
    .map(
      (stated) =>
        `${stated.file}: the version is ${stated.version}, but that of the product is ${version} (package.json).`,
    );
}

test('a version that differs is reported', () => {
  const tree = new Map([
    ['package.json', '{\n  "version": "2.0.0"\n}'],
    ['packages/kit/package.json', '{\n  "version": "2.0.0"\n}'],
    ['services/hub/package.json', '{\n  "version": "1.0.0"\n}'],
    ['services/dashboard/web/package.json', '{\n  "version": "1.0.0"\n}'],
    ['packages/adapters/package.json', '{\n  "version": "2.0.0",\n  "@expert-relay/sdk": "1.0.0"\n}'],
    ['docs/openapi.yaml', 'info: { version: 1.0.0 }\nexample: { version: 2.0.0, x: 1 }'],
    ['charts/expert-relay/Chart.yaml', 'version: 2.0.0\nappVersion: 1.0.0'],
    ['compose.yaml', 'image: x:1.0.0'],
    ['Dockerfile', '# ghcr.io/expert-relay/gateway:1.0.0 .'],
  ]);
  const wrong = (file: string, version = '1.0.0') =>
    expect.stringContaining(`${file}: the version is ${version},`);
  expect(wrongVersions(tree)).toEqual([
    wrong('services/hub/package.json'),
    wrong('services/dashboard/web/package.json'),
    wrong('packages/adapters/package.json'),
    wrong('docs/openapi.yaml'),
    wrong('charts/expert-relay/Chart.yaml'),
    wrong('compose.yaml', 'missing'),
    wrong('Dockerfile'),
  ]);
});

test('all versions in this repository are equal', () => {
  expect(wrongVersions(readStatements())).toEqual([]);
});

test('a release changes all of them, and nothing else', () => {
  const tree = readStatements();
  const files = [...tree];
  const { version } = JSON.parse(tree.get('package.json') ?? '{}');
  const released = files.map(([file, text]) => [file, writeVersions(file, text, '12.34.56')] as const);
  expect(wrongVersions(new Map(released))).toEqual([]);
  expect(released.map(([file, text]) => [file, writeVersions(file, text, version)])).toEqual(files);
});
