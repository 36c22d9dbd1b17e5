import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from './tree.ts';

type Packages = Record<string, { optional?: boolean; optionalDependencies?: Record<string, string> }>;

/** Packages for other platforms that npm omitted because it could not reach them. `npm ci` refuses such a lock file. */
function missingPackages(packages: Packages): string[] {
  const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  return Object.entries(packages).flatMap(([path, { optional, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      // An optional package may lack its own optional dependencies.
      .filter(([name]) => !optional && !locked.has(name))
      .map(
        ([name, version]) =>
          `package-lock.json lacks ${name} ${version}, which ${path} needs on some platform.`,
      ),
  );
}

describe('package-lock.json', () => {
  test('missing packages of other platforms are reported', () => {
    const tool = { optionalDependencies: { 'tool-linux': '1.0.0', 'tool-darwin': '1.0.0' } };
    const packages = { 'node_modules/tool': tool, 'node_modules/tool/node_modules/tool-linux': {} };
    expect(missingPackages(packages)).toEqual([expect.stringContaining('lacks tool-darwin 1.0.0')]);
  });

  test('contains the packages of every platform', () => {
    expect(
      missingPackages(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages),
    ).toEqual([]);
  });

  test('all its workspaces are in the build context of the images, where npm ci needs them', () => {
    // Not by `*` in a path: Docker's older builder, Podman and buildah do not look for that in a folder which is left out.
    const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const workspaces = Object.keys(packages).filter((path) => path !== '' && !path.includes('node_modules/'));
    const missing = workspaces.filter(
      (path) => !patterns.some((one) => `${path}/package.json/`.startsWith(`${one}/`)),
    );
    expect(workspaces.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });
});
