import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from './tree.ts';

/** Files that violate one rule of biome.json each, and a part of Biome's message. */
const violations: [path: string, source: string, message: string][] = [
  [
    'services/hub/src/environment.ts',
    'export const a = process.env.A;',
    'Only a config.ts reads the environment',
  ],
  [
    'packages/kit/src/log/taken-out.ts',
    'export const { env } = process;',
    'Only a config.ts reads the environment',
  ],
  ['services/hub/src/ending.ts', 'process.exit(1);', 'process.exit() cuts off'],
  [
    'services/hub/src/neighbour.ts',
    `export { a } from '@expert-relay/requests';`,
    'Services never import services',
  ],
  [
    'services/requests/src/kit.ts',
    `export { a } from '@expert-relay/testkit';`,
    'Services never import services',
  ],
  ['services/hub/src/tables.ts', `export { a } from '@expert-relay/db';`, 'This service has no database'],
  [
    'services/requests/src/support.ts',
    `export { a } from '@expert-relay/db/testing';`,
    'only tests may import testkit',
  ],
  ['services/hub/src/support.test.ts', `export { a } from '@expert-relay/db/testing';`, 'has no database'],
  ['services/dashboard/src/pool.ts', `export { Pool } from 'pg';`, 'This service has no database'],
  ['packages/kit/src/log/event.ts', `export { a } from '@expert-relay/contracts';`, 'kit knows neither'],
  [
    'packages/contracts/src/log.ts',
    `export { a } from '@expert-relay/kit/log';`,
    'contracts is what services agree on',
  ],
  ['packages/db/src/hub.ts', `export { a } from '@expert-relay/hub';`, 'db knows the tables'],
  [
    'services/dashboard/web/src/kit.ts',
    `export { a } from '@expert-relay/kit/config';`,
    'The web app runs in browsers and knows only the SDK',
  ],
  [
    'services/dashboard/web/src/kit.test.tsx',
    `export { a } from '@expert-relay/kit/config';`,
    'The web app runs in browsers and knows only the SDK',
  ],
  [
    'services/dashboard/src/app.ts',
    `export { a } from '@expert-relay/sdk';`,
    'Services never import services',
  ],
  [
    'services/dashboard/web/src/conditional-hook.tsx',
    `import { useState } from 'react';\nexport function A({ b }: { b: boolean }) {\n  if (b) useState(1);\n  return null;\n}`,
    'hook',
  ],
  ['services/dashboard/web/src/page.css', '.a {\n  colour: red;\n}', 'Unknown property'],
  ['services/hub/src/nameless.ts', 'export default 1;', 'default exports'],
  ['services/hub/src/PascalCase.ts', 'export const a = 1;', 'filename'],
  ['services/hub/src/printing.ts', `console.log('here');`, 'console'],
  ['services/hub/src/forgotten.ts', 'async function a(): Promise<void> {}\na();', 'floating'],
  ['services/hub/src/long.ts', 'export {};\n'.repeat(301), '300'],
  [
    'services/hub/src/round-a.ts',
    `import { b } from './round-b.ts';\nexport const a = () => b;`,
    'part of a cycle',
  ],
  [
    'services/hub/src/round-b.ts',
    `import { a } from './round-a.ts';\nexport const b = () => a;`,
    'part of a cycle',
  ],
  ['services/hub/src/bare.ts', `export { b } from './round-b';`, 'extension'],
  [
    'services/hub/src/only.test.ts',
    `import { test } from '@jest/globals';\ntest.only('a', () => {});`,
    'focus',
  ],
];

/** Files that the same rules must accept. */
const permitted: [path: string, source: string][] = [
  ['services/hub/src/config.ts', 'export const a = process.env.A;'],
  ['scripts/environment.ts', 'console.log(process.env.A);\nprocess.exit(1);'],
  ['services/hub/src/with-testkit.test.ts', `export { a } from '@expert-relay/testkit';`],
  ['services/requests/src/testing/support.ts', `export { a } from '@expert-relay/db/testing';`],
  ['services/requests/src/tables.ts', `export { a } from '@expert-relay/db';`],
  [
    'services/dashboard/web/src/crypto.ts',
    `export { a } from '@expert-relay/sdk';\nexport { b } from '@expert-relay/sdk/crypto';`,
  ],
  ['services/dashboard/web/src/support.test.tsx', `export { a } from '@expert-relay/testkit';`],
  [
    'services/hub/src/shared.ts',
    `export { a } from '@expert-relay/kit/log';\nexport { b } from '@expert-relay/contracts';`,
  ],
];

let folder: string;
let messages: Map<string, string>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-lint-'));
  for (const path of ['biome.json', '.gitignore', 'scripts/lint'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  for (const [path, source] of [...violations, ...permitted]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${source}\n`);
  }
  messages = lint(folder);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The messages of Biome by file. */
function lint(cwd: string): Map<string, string> {
  const biome = join(root, 'node_modules/.bin/biome');
  // This rule is skipped, because the folder has no package.json and so all imports are undeclared.
  const options = [
    'lint',
    '--reporter=json',
    '--max-diagnostics=none',
    '--skip=correctness/noUndeclaredDependencies',
    '.',
  ];
  const { stdout } = spawnSync(biome, options, { cwd, encoding: 'utf8' });
  const byFile = new Map<string, string>();
  for (const { message, location } of JSON.parse(stdout).diagnostics) {
    byFile.set(location.path, `${byFile.get(location.path) ?? ''}${message}\n`);
  }
  return byFile;
}

describe('biome.json', () => {
  test.each(violations)('refuses %s', (path, _source, message) => {
    expect(messages.get(path)).toContain(message);
  });

  test.each(permitted)('accepts %s', (path) => {
    expect(messages.get(path)).toBeUndefined();
  });
});
