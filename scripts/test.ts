import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isIn, type Tier } from '../test/tiers.js';
import { chromium, postgresWithTools, promtool } from '../test/tools.ts';
import { findHelm } from './chart/testing/go-tool.ts';
import { root } from './local/home.ts';
import { withTemporaryRun } from './local/with-run.ts';
import { findTools, programsForTests } from './servers/find-tool.ts';
import { checkNamedServers } from './servers/named-servers.ts';
import { openServers } from './servers/open-servers.ts';
import { buildProduct } from './steps/build.ts';
import { runJest } from './steps/run-jest.ts';
import { UsageError } from './terminal/failure.ts';
import { createTerminal } from './terminal/terminal.ts';

/** How long a tier takes on two idle cores. */
const usual = { quick: '5 minutes', rest: '27 minutes', all: '32 minutes' } as const;

/** `npm test`: the quick tests, or those of them that the arguments name, over real servers of their own. `--all` and `--rest`: see test/tiers.js. */
export async function test(args: string[]): Promise<void> {
  const { tier, rest } = readTier(args);
  const names = namesIn(rest);
  if (names.length > 0) checkNames(names, tier);
  const terminal = createTerminal();
  // What must be fetched or compiled for minutes begins before the tests that need it. These report what fails.
  if (tier !== 'quick' && names.length === 0) {
    void findHelm();
    void findTools([chromium, postgresWithTools, promtool]);
  }
  const code = await withTemporaryRun('test', terminal, async (run) => {
    await checkNamedServers();
    await buildProduct(terminal, 'test');
    const urls = await terminal.step('servers', (detail) => openServers(run, { durable: false, detail }));
    // Tests that start a server of their own find the programs that this run has fetched.
    const { cache } = run.home;
    const env = {
      ...urls,
      ...(await programsForTests(cache)),
      RELAY_CACHE: cache,
      RELAY_TEST_TIER: tier,
      ...(names.length === 0 ? { RELAY_TEST_USUAL: usual[tier] } : {}),
    };
    return runJest(run, { args: rest, env });
  });
  process.exitCode = code ?? 130;
}

function readTier(args: readonly string[]): { tier: Tier; rest: string[] } {
  const [first = '', ...rest] = args;
  if (first === '--all' || first === '--rest') return { tier: first === '--all' ? 'all' : 'rest', rest };
  return { tier: 'quick', rest: [...args] };
}

/** Options of Jest whose value is an argument of its own. */
const withValue = ['-t', '--testNamePattern', '--testTimeout', '-w', '--maxWorkers', '--shard', '--seed'];

/** The arguments that name files, from the root of the repository. */
const namesIn = (args: readonly string[]): string[] =>
  args.flatMap((arg, at) =>
    arg.startsWith('-') || withValue.includes(args[at - 1] ?? '')
      ? []
      : relative(root, resolve(root, arg)) || [],
  );

/** A name that only files of the other tier have is a mistake, and so is one that no file has. */
function checkNames(names: readonly string[], tier: Tier): void {
  const patterns = names.map(toPattern);
  const named = testFiles().filter((path) => patterns.some((pattern) => pattern.test(path)));
  if (named.length === 0) throw new UsageError(`No test file has "${names.join('" or "')}" in its path.`);
  if (named.some((path) => isIn(path, tier))) return;
  throw new UsageError(
    tier === 'quick'
      ? `Only tests that \`npm test\` leaves out have this in their paths. Run them by: npm run test:all -- ${names.join(' ')}`
      : `All tests with this in their paths are in the quick tier. Run them by: npm test -- ${names.join(' ')}`,
  );
}

function toPattern(name: string): RegExp {
  try {
    return new RegExp(name, 'i');
  } catch {
    throw new UsageError(`"${name}" is no regular expression: Jest looks for test files by these.`);
  }
}

function testFiles(): string[] {
  return ['packages', 'services', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.test\.tsx?$/.test(path) && !/node_modules|(^|\/)dist\//.test(path))
      .map((path) => `${folder}/${path}`),
  );
}
