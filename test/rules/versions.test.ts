import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readTree, type Tree } from './tree.ts';

/** Everything that says another version than the product's. */
function strays(tree: Tree): string[] {
  const read = (path: string): string => tree.get(path) ?? '{}';
  const { version } = JSON.parse(read('package.json'));
  const workspaces = [...tree.keys()].filter((path) =>
    /^(packages\/[^/]+|services\/[^/]+|services\/dashboard\/web)\/package\.json$/.test(path),
  );
  const said = [
    ...workspaces.map((path) => [path, JSON.parse(read(path)).version]),
    ...['version', 'appVersion'].map((key) => [
      'charts/expert-relay/Chart.yaml',
      parse(read('charts/expert-relay/Chart.yaml'))[key],
    ]),
    ['docs/openapi.yaml', parse(read('docs/openapi.yaml'), { maxAliasCount: 0 }).info?.version],
  ];
  return said
    .filter(([, own]) => own !== version)
    .map(([path, own]) => `${path}: says version ${own}, the product is ${version} (package.json).`);
}

test('a version that was forgotten is found', () => {
  const tree = new Map([
    ['package.json', '{"version":"2.0.0"}'],
    ['packages/kit/package.json', '{"version":"2.0.0"}'],
    ['services/hub/package.json', '{"version":"1.0.0"}'],
    ['services/dashboard/web/package.json', '{"version":"1.0.0"}'],
    ['docs/openapi.yaml', 'info: { version: 1.0.0 }'],
    ['charts/expert-relay/Chart.yaml', 'version: 2.0.0\nappVersion: 1.0.0'],
  ]);
  expect(strays(tree)).toEqual([
    expect.stringContaining('services/hub/package.json: says version 1.0.0'),
    expect.stringContaining('services/dashboard/web/package.json: says version 1.0.0'),
    expect.stringContaining('charts/expert-relay/Chart.yaml: says version 1.0.0'),
    expect.stringContaining('docs/openapi.yaml: says version 1.0.0'),
  ]);
});

test('all of the product says one version', () => {
  expect(strays(readTree())).toEqual([]);
});
