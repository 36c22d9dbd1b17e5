import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { heavy } from './test/tiers.js';

const { RELAY_TEST_TIER: tier = 'quick' } = process.env;

const globOf = (/** @type {string} */ entry) =>
  `<rootDir>/${entry.endsWith('/') ? `${entry}**/*` : entry}.test.{ts,tsx}`;
const isBlackBox = (/** @type {string} */ entry) => /^test\/(conformance|fuzz)\//.test(entry);

/** Not by `<rootDir>`, whose characters Jest takes for those of a regular expression. */
const folder = escapePattern(fileURLToPath(new URL('.', import.meta.url)));
const leftOut =
  tier === 'quick'
    ? heavy.map((entry) => `^${folder}${escapePattern(entry.endsWith('/') ? entry : `${entry}.test.`)}`)
    : [];

function escapePattern(/** @type {string} */ text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const shared = {
  // Node loads the tests, not Jest.
  runtime: './scripts/jest/runtime.cjs',
  testEnvironment: './scripts/jest/environment.cjs',
  transform: {},
  modulePathIgnorePatterns: ['/dist/', '/\\.relay'],
  // Node's own sockets and streams use these two.
  fakeTimers: { doNotFake: ['nextTick', 'queueMicrotask'] },
  testPathIgnorePatterns: ['/node_modules/', ...leftOut],
};

/** @type {import('jest').Config} */
export default {
  // Real servers, on a machine that may be busy: a limit is for what hangs, not for what is slow.
  testTimeout: 300_000,
  // Most tests wait more than they work, so two for each core keep a small machine busy. A third costs more CPU time, since each
  // worker loads the product, and saves none.
  maxWorkers: Math.min(availableParallelism() + 4, availableParallelism() * 2),
  testSequencer: './scripts/jest/sequencer.cjs',
  reporters: ['./scripts/jest/reporter.js'],
  // The memory that files leave is freed with the process.
  workerIdleMemoryLimit: '1GB',
  // On a busy machine a worker needs longer than the usual half second to exit. One that a test keeps open never exits, and
  // Jest then reports it.
  workerGracefulExitTimeout: 30_000,
  projects: [
    {
      ...shared,
      displayName: 'tests',
      testMatch:
        tier === 'rest'
          ? heavy.filter((entry) => !isBlackBox(entry)).map(globOf)
          : [
              '<rootDir>/{services,packages,scripts}/**/*.test.{ts,tsx}',
              '<rootDir>/test/!(conformance|fuzz)/**/*.test.ts',
            ],
    },
    {
      ...shared,
      displayName: 'black box',
      testMatch:
        tier === 'rest'
          ? heavy.filter(isBlackBox).map(globOf)
          : ['<rootDir>/test/{conformance,fuzz}/**/*.test.ts'],
      // These know URLs alone, so one relay serves all of them.
      globalSetup: '<rootDir>/test/black-box/share-relay.mjs',
      globalTeardown: '<rootDir>/test/black-box/stop-shared-relay.mjs',
    },
  ],
};
