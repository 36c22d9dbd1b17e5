import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from './tree.ts';

type Packages = Record<string, { optional?: boolean; optionalDependencies?: Record<string, string> }>;

/** npm leaves these out when it cannot reach them, and `npm ci` then refuses the file on every machine. */
function leftOut(packages: Packages): string[] {
  const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  return Object.entries(packages).flatMap(([path, { optional, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      // What is optional altogether may come without its own extras.
      .filter(([name]) => !optional && !locked.has(name))
      .map(
        ([name, version]) =>
          `package-lock.json lacks ${name} ${version}, which ${path} has for some platform.`,
      ),
  );
}

describe('package-lock.json', () => {
  test('is refused without the packages of other platforms', () => {
    const tool = { optionalDependencies: { 'tool-linux': '1.0.0', 'tool-darwin': '1.0.0' } };
    const packages = { 'node_modules/tool': tool, 'node_modules/tool/node_modules/tool-linux': {} };
    expect(leftOut(packages)).toEqual([expect.stringContaining('lacks tool-darwin 1.0.0')]);
  });

  test('has the packages of every platform', () => {
    expect(leftOut(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages)).toEqual([]);
  });

  test('names no workspace that is missing where images are built: npm ci would refuse it there', () => {
    const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => new RegExp(`^${line.slice(1).replaceAll('.', '\\.').replaceAll('*', '[^/]+')}(/|$)`));
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const workspaces = Object.keys(packages).filter((path) => path !== '' && !path.includes('node_modules/'));
    const missing = workspaces.filter((path) => !patterns.some((one) => one.test(`${path}/package.json`)));
    expect(workspaces.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });
});
