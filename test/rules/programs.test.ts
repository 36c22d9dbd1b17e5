import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { serverKinds } from '../../scripts/servers/named-servers.ts';
import { chromium, postgresWithTools, promtool, redisCli } from '../tools.ts';
import { isCode, readTree, root, type Tree } from './tree.ts';

/*
 * Servers and tools are found in one way, by scripts/servers, which fetches what a machine lacks. A program that is started
 * by its bare name runs only where somebody has installed it.
 */

const kinds = [...serverKinds, chromium, postgresWithTools, promtool, redisCli];
const names = [
  ...new Set([...kinds.flatMap(({ programs, beside = [] }) => [...programs, ...beside])]),
  'initdb',
  'pg_ctl',
  'nginx',
];
/** It is also the name of a dependency, a user and a database: a program only in files that start programs. */
const ambiguous = 'postgres';
const startsPrograms =
  /(?<![.\w])(spawn|spawnSync|exec|execSync|execFile|execFileSync|runCommand|findOnPath)\(/;

// A text that is the name of a program, its path, or a command that begins with it.
const textWith = (some: readonly string[]) =>
  new RegExp(`(['"\`])(?:[^'"\`\\n]*/)?(${some.join('|')})(?: -[^'"\`\\n]*)?\\1`, 'g');
const commentLine = /^\s*(\/\/|\/?\*).*$/gm;

/** testkit asks for NATS by this name. `test/cluster` starts programs in pods, whose images have them. */
const exempt =
  /^(scripts\/servers\/|test\/tools\.ts$|bench\/environment\/nchan\.ts$|packages\/testkit\/src\/start-own-nats\.ts$|test\/cluster\/|test\/rules\/programs\.test\.ts$)/;

function bareNames(tree: Tree): string[] {
  return [...tree].flatMap(([path, source]) => {
    if (!isCode(path) || exempt.test(path)) return [];
    const text = source.replace(commentLine, '');
    const known = startsPrograms.test(text) ? names : names.filter((name) => name !== ambiguous);
    return [...text.matchAll(textWith(known))].map(
      ([, , name]) =>
        `${path}: "${name}" may not be on PATH. Get it from scripts/servers (findTool, startOwnServer), in packages and services from testkit (startOwnNats).`,
    );
  });
}

function skipsWithoutReason(tree: Tree): string[] {
  return [...tree]
    .filter(
      ([path]) =>
        isCode(path) && !/^(scripts\/testing\/test-unless|test\/rules\/programs\.test)\.ts$/.test(path),
    )
    .filter(([, text]) => /\b(test|it|describe)\.(skip|todo)\b|\bx(test|it|describe)\(/.test(text))
    .map(
      ([path]) => `${path}: a skipped test needs a reason: use testUnless of scripts/testing/test-unless.ts.`,
    );
}

describe('programs that are started by their bare names', () => {
  test.each([
    ['packages/kit/src/nats/testing/a.ts', `spawn('nats-server', ['-c', file]);`, 'nats-server'],
    [
      'packages/db/src/testing/a.ts',
      `['/usr/sbin/nats-server'].find(existsSync) ?? 'nats-server'`,
      'nats-server',
    ],
    ['services/hub/src/testing/a.ts', `const program = "redis-server";\nspawn(program);`, 'redis-server'],
    ['scripts/a.ts', "execFile(folder + '/initdb', []);", 'initdb'],
    ['test/operations/a.ts', `run('bash', ['-c', 'pg_dump --format=custom']);`, 'pg_dump'],
    ['test/browser/a.ts', `launch({ executablePath: '/usr/bin/chromium' });`, 'chromium'],
    ['test/e2e/a.mjs', `const server = 'postgres';\nspawn(server, []);`, 'postgres'],
    ['bench/a.ts', `join(folder, 'usr/sbin/nginx')`, 'nginx'],
  ])('%s with %s is reported', (path, text, name) => {
    expect(bareNames(new Map([[path, text]]))).toContainEqual(expect.stringContaining(`${path}: "${name}"`));
  });

  test.each([
    ['packages/kit/src/a.ts', `const dependency = { name: 'postgres' };`],
    ['services/hub/src/a.ts', `// Without it, \`nginx\` buffers.\n/* 'nats-server' */\nspawn('sh');`],
    ['test/browser/a.ts', `import { chromium } from 'playwright-core';\nspawn('sh');`],
    ['scripts/a.ts', `import { postgres } from './postgres.ts';\nspawn('sh');`],
    ['services/hub/src/a.ts', `throw new Error('nats-server did not start');`],
    ['docs/a.md', `spawn('nats-server')`],
  ])('%s with %s is accepted', (path, text) => {
    expect(bareNames(new Map([[path, text]]))).toEqual([]);
  });

  test('do not exist', () => {
    expect(bareNames(readTree())).toEqual([]);
  });

  test('are hidden by .ci/run, so that it fetches them', () => {
    const hidden = /^hidden=\(([^)]*)\)$/m.exec(readFileSync(join(root, '.ci/run'), 'utf8'))?.[1] ?? '';
    expect(hidden.trim().split(/\s+/)).toEqual(expect.arrayContaining(names));
  });
});

describe('skipped tests without a reason', () => {
  test.each([
    'const withPython = isMissing ? test.skip : test;',
    `describe.skip('later', () => {});`,
    `xtest('later', () => {});`,
  ])('%s is reported', (text) => {
    expect(skipsWithoutReason(new Map([['test/a.test.ts', text]]))).toEqual([
      expect.stringContaining('needs a reason'),
    ]);
  });

  test('do not exist', () => {
    expect(skipsWithoutReason(readTree())).toEqual([]);
  });
});
