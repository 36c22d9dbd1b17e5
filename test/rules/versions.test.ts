import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readTree, type Tree } from './tree.ts';

/** Files whose version differs from that of the product. */
function wrongVersions(tree: Tree): string[] {
  const read = (path: string): string => tree.get(path) ?? '{}';
  const { version } = JSON.parse(read('package.json'));
  const workspaces = [...tree.keys()].filter((path) =>
    /^(packages\/[^/]+|services\/[^/]+|services\/dashboard\/web)\/package\.json$/.test(path),
  );
  const versions = [
    ...workspaces.map((path) => [path, JSON.parse(read(path)).version]),
    ...['version', 'appVersion'].map((key) => [
      'charts/expert-relay/Chart.yaml',
      parse(read('charts/expert-relay/Chart.yaml'))[key],
    ]),
    ['docs/openapi.yaml', parse(read('docs/openapi.yaml'), { maxAliasCount: 0 }).info?.version],
  ];
  return versions
    .filter(([, own]) => own !== version)
    .map(
      ([path, own]) =>
        `${path}: the version is ${own}, but that of the product is ${version} (package.json).`,
    );
}

test('a version that differs is reported', () => {
  const tree = new Map([
    ['package.json', '{"version":"2.0.0"}'],
    ['packages/kit/package.json', '{"version":"2.0.0"}'],
    ['services/hub/package.json', '{"version":"1.0.0"}'],
    ['services/dashboard/web/package.json', '{"version":"1.0.0"}'],
    ['docs/openapi.yaml', 'info: { version: 1.0.0 }'],
    ['charts/expert-relay/Chart.yaml', 'version: 2.0.0\nappVersion: 1.0.0'],
  ]);
  expect(wrongVersions(tree)).toEqual([
    expect.stringContaining('services/hub/package.json: the version is 1.0.0'),
    expect.stringContaining('services/dashboard/web/package.json: the version is 1.0.0'),
    expect.stringContaining('charts/expert-relay/Chart.yaml: the version is 1.0.0'),
    expect.stringContaining('docs/openapi.yaml: the version is 1.0.0'),
  ]);
});

test('all versions in this repository are equal', () => {
  expect(wrongVersions(readTree())).toEqual([]);
});
