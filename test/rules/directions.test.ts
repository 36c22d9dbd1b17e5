import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { importedWorkspace, importsOf } from './imports.ts';
import { isCode, isTest, readTree, type Tree, workspaceOf } from './tree.ts';

/** Which workspaces a workspace may import. Tests may import testkit as well. */
const mayUse: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  contracts: [],
  db: ['kit', 'contracts'],
  gateway: ['kit', 'contracts', 'db'],
  requests: ['kit', 'contracts', 'db'],
  messages: ['kit', 'contracts', 'db'],
  'expiry-worker': ['kit', 'contracts', 'db'],
  // No database: they must keep running, and scale, without one.
  hub: ['kit', 'contracts'],
  dashboard: ['kit', 'contracts'],
  // What runs elsewhere: whoever installs it gets nothing of the house.
  sdk: [],
  cli: ['sdk'],
  // It runs in browsers. The dashboard serves its built files and imports nothing of it.
  'dashboard-web': ['sdk'],
  testkit: ['kit', 'contracts'],
};

/** Their tests may run all services: they are clients of these. */
const mayUseConstellation = ['sdk', 'cli', 'dashboard-web'];

const databaseClients = /^(pg|@prisma\/.*)$/;
const withoutDatabase = ['hub', 'dashboard', 'kit', 'contracts', 'sdk', 'cli', 'dashboard-web'];

/** Runs in browsers too, which have none of Node's modules. */
const withoutNode = ['sdk', 'dashboard-web'];

function wrongDirections(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => {
    const workspace = workspaceOf(path);
    if (workspace === undefined) return isBlackBox(path) ? peeks(path, text) : [];
    const allowed = mayUse[workspace];
    if (!allowed)
      return [`${path}: ${workspace} is new. Say in test/rules/directions.test.ts whom it may know.`];
    const used = usedBy(path, text);
    const forTests = isTest(path) || path.endsWith('package.json') ? ['testkit'] : [];
    if (isTest(path) && mayUseConstellation.includes(workspace)) forTests.push('constellation');
    const strangers = used
      .map(importedWorkspace)
      .filter(
        (name) => name !== undefined && name !== workspace && ![...allowed, ...forTests].includes(name),
      );
    const databases = withoutDatabase.includes(workspace)
      ? used.filter((name) => databaseClients.test(name))
      : [];
    return [
      ...strangers.map(
        (name) => `${path}: ${workspace} must not know ${name}. It may use ${list(allowed)}; ${why}.`,
      ),
      ...databases.map((name) => `${path}: ${workspace} must not use ${name}: it has no database.`),
      ...used
        .filter((name) => withoutNode.includes(workspace) && runsInBrowsers(path) && isBuiltin(name))
        .map((name) => `${path}: ${workspace} must not use ${name}: browsers have no such module.`),
      ...used
        .filter((name) => isCode(path) && !isTest(path) && /\/testing(\/|$)/.test(name))
        .map((name) => `${path}: "${name}" is for tests alone, and is not shipped.`),
      ...used
        .filter((name) => leaves(path, name))
        .map(
          (name) => `${path}: "${name}" reaches into another workspace. Import what it exports by its name.`,
        ),
    ];
  });
}

function runsInBrowsers(path: string): boolean {
  return !isTest(path) && path !== 'services/dashboard/web/vite.config.ts';
}

function isBlackBox(path: string): boolean {
  // The rules quote imports as examples, and the constellation is what starts the services.
  return path.startsWith('test/') && !/^test\/(rules|constellation)\//.test(path);
}

/** Black-box tests know URLs: what they may import starts the house or is a client of it. */
function peeks(path: string, text: string): string[] {
  return usedBy(path, text)
    .filter(
      (name) =>
        !['constellation', 'testkit', 'sdk', 'cli', undefined].includes(importedWorkspace(name)) ||
        leavesTest(path, name),
    )
    .map(
      (name) =>
        `${path}: "${name}" is inside the box. test/ knows URLs; a test of the inside is beside its file.`,
    );
}

function leavesTest(path: string, specifier: string): boolean {
  // What launches servers may be borrowed: it is no part of the product.
  return specifier.startsWith('.') && !/^(test|scripts)\//.test(posix.join(posix.dirname(path), specifier));
}

const why = 'services meet over HTTP and events only, and what is shared stands on nothing above it';

function usedBy(path: string, text: string): string[] {
  if (isCode(path)) return importsOf(text);
  if (!path.endsWith('/package.json')) return [];
  const { dependencies = {}, devDependencies = {}, peerDependencies = {} } = JSON.parse(text);
  return Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
}

function leaves(path: string, specifier: string): boolean {
  if (!specifier.startsWith('.')) return false;
  return workspaceOf(posix.join(posix.dirname(path), specifier)) !== workspaceOf(path);
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'no other workspace' : names.join(', ');
}

describe('dependency directions', () => {
  test.each([
    [
      'services/hub/src/a.ts',
      `import { x } from '@expert-relay/gateway/config';`,
      'hub must not know gateway',
    ],
    ['services/hub/src/a.ts', `import type { X } from '@expert-relay/db';`, 'hub must not know db'],
    ['services/hub/src/a.ts', `const { Pool } = await import('pg');`, 'hub must not use pg'],
    [
      'services/dashboard/package.json',
      '{"dependencies":{"@prisma/client":"7"}}',
      'must not use @prisma/client',
    ],
    [
      'services/requests/package.json',
      '{"dependencies":{"@expert-relay/hub":"*"}}',
      'requests must not know hub',
    ],
    ['services/requests/src/a.ts', `import '@expert-relay/testkit';`, 'requests must not know testkit'],
    ['services/requests/src/a.ts', `import '@expert-relay/db/testing';`, 'is for tests alone'],
    ['services/requests/src/a.ts', `import './testing/start.ts';`, 'is for tests alone'],
    ['packages/kit/src/a.ts', `export { x } from '@expert-relay/contracts';`, 'kit must not know contracts'],
    [
      'packages/db/src/a.ts',
      `import { x } from '../../kit/src/log/index.ts';`,
      'reaches into another workspace',
    ],
    ['packages/sdk/src/a.ts', `import { x } from '@expert-relay/contracts';`, 'sdk must not know contracts'],
    ['packages/sdk/src/a.ts', `import { x } from 'node:crypto';`, 'browsers have no such module'],
    ['packages/sdk/src/a.ts', `const { x } = await import('fs/promises');`, 'browsers have no such module'],
    ['packages/cli/src/a.ts', `import { x } from '@expert-relay/kit/log';`, 'cli must not know kit'],
    [
      'services/dashboard/web/src/a.tsx',
      `import { x } from '@expert-relay/kit/config';`,
      'dashboard-web must not know kit',
    ],
    [
      'services/dashboard/web/src/a.ts',
      `import type { Config } from '../../src/config.ts';`,
      'reaches into another workspace',
    ],
    ['services/dashboard/web/src/a.ts', `import { x } from 'node:crypto';`, 'browsers have no such module'],
    ['services/dashboard/src/a.ts', `import { x } from '../web/src/a.ts';`, 'reaches into another workspace'],
    [
      'services/dashboard/package.json',
      '{"dependencies":{"@expert-relay/dashboard-web":"*"}}',
      'dashboard must not know dashboard-web',
    ],
    ['services/dashboard/src/a.ts', `import { x } from '@expert-relay/sdk';`, 'dashboard must not know sdk'],
    ['packages/db/src/a.test.ts', `import { x } from '@expert-relay/constellation';`, 'db must not know'],
    ['packages/testkit/src/a.ts', `import { x } from '@expert-relay/db';`, 'testkit must not know db'],
    ['packages/novelty/src/a.ts', '', 'novelty is new'],
    ['test/e2e/a.test.ts', `import { x } from '@expert-relay/requests';`, 'is inside the box'],
    ['test/e2e/a.test.ts', `import { x } from '../../services/hub/src/service.ts';`, 'is inside the box'],
  ])('refuse %s with %s', (path, text, problem) => {
    expect(wrongDirections(new Map([[path, text]]))).toEqual([expect.stringContaining(problem)]);
  });

  test('allow testkit in tests', () => {
    const text = `import { x } from '@expert-relay/testkit';`;
    expect(
      wrongDirections(
        new Map([
          ['services/hub/src/a.test.ts', text],
          ['services/dashboard/web/src/a.test.tsx', text],
          ['test/e2e/a.test.ts', text],
        ]),
      ),
    ).toEqual([]);
  });

  test('hold in this repo', () => {
    expect(wrongDirections(readTree())).toEqual([]);
  });
});
