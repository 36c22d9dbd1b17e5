import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { importedWorkspace, importsOf } from './imports.ts';
import { isCode, isTest, readTree, type Tree, workspaceOf } from './tree.ts';

/** Which workspaces a workspace may import. Tests may import testkit and scripts as well. */
const mayUse: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  contracts: [],
  db: ['kit', 'contracts'],
  gateway: ['kit', 'contracts', 'db'],
  requests: ['kit', 'contracts', 'db'],
  messages: ['kit', 'contracts', 'db'],
  'expiry-worker': ['kit', 'contracts', 'db'],
  // Of the SDK, the list of hidden characters.
  notifier: ['kit', 'contracts', 'db', 'sdk'],
  // No database: they must run and scale without one.
  hub: ['kit', 'contracts'],
  dashboard: ['kit', 'contracts'],
  // Published packages, which contain nothing of the services.
  sdk: [],
  cli: ['sdk'],
  adapters: ['sdk'],
  // It runs in browsers. The dashboard serves its built files and does not import it.
  'dashboard-web': ['sdk'],
  testkit: ['kit', 'contracts'],
};

/** Clients of the services. Their tests may start all services. */
const mayUseConstellation = ['sdk', 'cli', 'adapters', 'dashboard-web'];

const databaseClients = /^(pg|@prisma\/.*)$/;
const withoutDatabase = ['hub', 'dashboard', 'kit', 'contracts', 'sdk', 'cli', 'adapters', 'dashboard-web'];

/** They also run where there are no modules of Node. */
const withoutNode = ['sdk', 'adapters', 'dashboard-web'];

function forbiddenImports(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => {
    const workspace = workspaceOf(path);
    if (workspace === undefined) return isBlackBox(path) ? importsOfInternals(path, text) : [];
    const allowed = mayUse[workspace];
    if (!allowed)
      return [
        `${path}: ${workspace} is new. List in test/rules/workspace-imports.test.ts what it may import.`,
      ];
    const used = usedBy(path, text);
    const forTests = isTest(path) || path.endsWith('package.json') ? ['testkit'] : [];
    if (isTest(path) && mayUseConstellation.includes(workspace)) forTests.push('constellation');
    const forbidden = used
      .map(importedWorkspace)
      .filter(
        (name) => name !== undefined && name !== workspace && ![...allowed, ...forTests].includes(name),
      );
    const databases = withoutDatabase.includes(workspace)
      ? used.filter((name) => databaseClients.test(name))
      : [];
    return [
      ...forbidden.map(
        (name) => `${path}: ${workspace} must not import ${name}. It may import ${list(allowed)}; ${why}.`,
      ),
      ...databases.map((name) => `${path}: ${workspace} must not import ${name}: it has no database.`),
      ...used
        .filter((name) => withoutNode.includes(workspace) && runsInBrowsers(path) && isBuiltin(name))
        .map((name) => `${path}: ${workspace} must not import ${name}: browsers have no such module.`),
      ...used
        .filter((name) => isForeignFramework(path, name))
        .map((name) => `${path}: "${name}" is not its framework: users install only theirs.`),
      ...used
        .filter((name) => entersNode(path, name))
        .map((name) => `${path}: "${name}" is only for Node, and this file also runs in browsers.`),
      ...used
        .filter((name) => isCode(path) && !isTest(path) && /\/testing(\/|$)/.test(name))
        .map((name) => `${path}: "${name}" is only for tests, and is not shipped.`),
      ...used
        .filter((name) => leavesWorkspace(path, name))
        .map(
          (name) => `${path}: "${name}" is a file of another workspace. Import that workspace by its name.`,
        ),
    ];
  });
}

/** The framework of each entry of the adapters, or a package that it always brings. What they share imports none. */
const frameworkOf: Readonly<Record<string, string>> = {
  'ai-sdk': 'ai',
  langgraph: '@langchain/core',
  'openai-agents': '@openai/agents',
};

function isForeignFramework(path: string, specifier: string): boolean {
  const [, entry] = /^packages\/adapters\/src\/(.+)\.ts$/.exec(path) ?? [];
  const framework = frameworkOf[entry ?? ''];
  const isOwn = /^(\.|@expert-relay\/)/.test(specifier) || `${specifier}/`.startsWith(`${framework}/`);
  return entry !== undefined && !isTest(path) && !isOwn;
}

/** The part of the SDK that has an entry of its own, and is only for Node. */
const nodeEntry = 'packages/sdk/src/node/';

function runsInBrowsers(path: string): boolean {
  return !isTest(path) && path !== 'services/dashboard/web/vite.config.ts' && !path.startsWith(nodeEntry);
}

function entersNode(path: string, specifier: string): boolean {
  return (
    path.startsWith('packages/sdk/src/') &&
    runsInBrowsers(path) &&
    posix.join(posix.dirname(path), specifier).startsWith(nodeEntry)
  );
}

function isBlackBox(path: string): boolean {
  // The rules contain imports as examples, and the constellation starts the services.
  return path.startsWith('test/') && !/^test\/(rules|constellation)\//.test(path);
}

/** Black-box tests use only URLs. They may import what starts the services, and clients of these. */
function importsOfInternals(path: string, text: string): string[] {
  return usedBy(path, text)
    .filter(
      (name) =>
        !['constellation', 'testkit', 'sdk', 'cli', 'adapters', undefined].includes(
          importedWorkspace(name),
        ) || leavesTest(path, name),
    )
    .map(
      (name) =>
        `${path}: "${name}" is internal. Tests in test/ use only URLs; put a test of internals beside its file.`,
    );
}

function leavesTest(path: string, specifier: string): boolean {
  // Neither the scripts that start servers nor what starts the command line, as its users have it, is a part of the product.
  const isOutside = /^(test|scripts|packages\/cli\/src\/testing)\//;
  return specifier.startsWith('.') && !isOutside.test(posix.join(posix.dirname(path), specifier));
}

const why = 'services use each other only over HTTP and events, and packages import no services';

function usedBy(path: string, text: string): string[] {
  if (isCode(path)) return importsOf(text);
  if (!path.endsWith('/package.json')) return [];
  const { dependencies = {}, devDependencies = {}, peerDependencies = {} } = JSON.parse(text);
  return Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
}

function leavesWorkspace(path: string, specifier: string): boolean {
  if (!specifier.startsWith('.')) return false;
  const target = posix.join(posix.dirname(path), specifier);
  return workspaceOf(target) !== workspaceOf(path) && !(isTest(path) && target.startsWith('scripts/'));
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'no other workspace' : names.join(', ');
}

describe('imports between workspaces', () => {
  test.each([
    [
      'services/hub/src/a.ts',
      `import { x } from '@expert-relay/gateway/config';`,
      'hub must not import gateway',
    ],
    ['services/hub/src/a.ts', `import type { X } from '@expert-relay/db';`, 'hub must not import db'],
    ['services/hub/src/a.ts', `const { Pool } = await import('pg');`, 'hub must not import pg'],
    [
      'services/dashboard/package.json',
      '{"dependencies":{"@prisma/client":"7"}}',
      'must not import @prisma/client',
    ],
    [
      'services/requests/package.json',
      '{"dependencies":{"@expert-relay/hub":"*"}}',
      'requests must not import hub',
    ],
    ['services/requests/src/a.ts', `import '@expert-relay/testkit';`, 'requests must not import testkit'],
    ['services/requests/src/a.ts', `import '@expert-relay/db/testing';`, 'is only for tests'],
    ['services/requests/src/a.ts', `import './testing/start.ts';`, 'is only for tests'],
    [
      'packages/kit/src/a.ts',
      `export { x } from '@expert-relay/contracts';`,
      'kit must not import contracts',
    ],
    [
      'packages/db/src/a.ts',
      `import { x } from '../../kit/src/log/index.ts';`,
      'is a file of another workspace',
    ],
    [
      'packages/sdk/src/a.ts',
      `import { x } from '@expert-relay/contracts';`,
      'sdk must not import contracts',
    ],
    ['packages/sdk/src/a.ts', `import { x } from 'node:crypto';`, 'browsers have no such module'],
    ['packages/sdk/src/agent/a.ts', `import { x } from '../node/file-store.ts';`, 'is only for Node'],
    ['packages/sdk/src/a.ts', `const { x } = await import('fs/promises');`, 'browsers have no such module'],
    ['packages/cli/src/a.ts', `import { x } from '@expert-relay/kit/log';`, 'cli must not import kit'],
    ['packages/adapters/src/a.ts', `import { x } from '@expert-relay/cli';`, 'adapters must not import cli'],
    ['packages/adapters/src/decide-tool-calls.ts', `import { x } from 'ai';`, 'is not its framework'],
    ['packages/adapters/src/ai-sdk.ts', `import { x } from '@openai/agents';`, 'is not its framework'],
    [
      'services/dashboard/web/src/a.tsx',
      `import { x } from '@expert-relay/kit/config';`,
      'dashboard-web must not import kit',
    ],
    [
      'services/dashboard/web/src/a.ts',
      `import type { Config } from '../../src/config.ts';`,
      'is a file of another workspace',
    ],
    ['services/dashboard/web/src/a.ts', `import { x } from 'node:crypto';`, 'browsers have no such module'],
    ['services/dashboard/src/a.ts', `import { x } from '../web/src/a.ts';`, 'is a file of another workspace'],
    [
      'services/dashboard/package.json',
      '{"dependencies":{"@expert-relay/dashboard-web":"*"}}',
      'dashboard must not import dashboard-web',
    ],
    [
      'services/dashboard/src/a.ts',
      `import { x } from '@expert-relay/sdk';`,
      'dashboard must not import sdk',
    ],
    ['packages/db/src/a.test.ts', `import { x } from '@expert-relay/constellation';`, 'db must not import'],
    ['packages/testkit/src/a.ts', `import { x } from '@expert-relay/db';`, 'testkit must not import db'],
    ['packages/novelty/src/a.ts', '', 'novelty is new'],
    ['test/e2e/a.test.ts', `import { x } from '@expert-relay/requests';`, 'is internal'],
    ['test/e2e/a.test.ts', `import { x } from '../../services/hub/src/service.ts';`, 'is internal'],
    ['test/e2e/a.test.ts', `import { x } from '../../packages/cli/src/run.ts';`, 'is internal'],
  ])('%s with %s is reported', (path, text, problem) => {
    expect(forbiddenImports(new Map([[path, text]]))).toEqual([expect.stringContaining(problem)]);
  });

  test('tests may import testkit and scripts', () => {
    const text = `import { x } from '@expert-relay/testkit';`;
    expect(
      forbiddenImports(
        new Map([
          ['services/hub/src/a.test.ts', text],
          ['services/dashboard/web/src/a.test.tsx', text],
          ['test/e2e/a.test.ts', text],
          ['packages/cli/src/testing/a.ts', `import { x } from '../../../../scripts/steps/bundle.ts';`],
        ]),
      ),
    ).toEqual([]);
  });

  test('this repository has no forbidden imports', () => {
    expect(forbiddenImports(readTree())).toEqual([]);
  });
});
