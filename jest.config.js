import { availableParallelism } from 'node:os';

/** @param {object} parser @param {object} [transform] */
const compile = (parser, transform) => [
  '@swc/jest',
  { jsc: { parser, transform, target: 'es2023' }, module: { type: 'es6' }, sourceMaps: 'inline' },
];

const shared = {
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '\\.ts$': compile({ syntax: 'typescript' }),
    '\\.tsx$': compile({ syntax: 'typescript', tsx: true }, { react: { runtime: 'automatic' } }),
  },
  // Jest cannot load a style sheet.
  moduleNameMapper: { '\\.css$': '<rootDir>/services/dashboard/web/class-names.js' },
  runtime: './jest.runtime.cjs',
  // Tests read the sources of every workspace, never what was built from them.
  testEnvironmentOptions: { customExportConditions: ['relay-source', 'node', 'node-addons'] },
  modulePathIgnorePatterns: ['/dist/', '/\\.relay'],
};

/** @type {import('jest').Config} */
export default {
  // Real servers, on a machine that may be busy: a limit is for what hangs, not for what is slow.
  testTimeout: 300_000,
  // Most tests wait more than they work: two more than there are cores keep a small machine busy.
  maxWorkers: Math.min(availableParallelism() + 2, 4),
  testSequencer: './jest.sequencer.js',
  // Tests that this machine cannot run are listed with their reasons, after the summary of the others.
  reporters: ['default', './jest.skipped.js'],
  // Each file loads its modules again. The memory that this leaves is freed with the process.
  workerIdleMemoryLimit: '1GB',
  // On a busy machine a worker needs longer than the usual half second to exit. One that a test keeps open never exits, and
  // Jest then reports it.
  workerGracefulExitTimeout: 30_000,
  projects: [
    {
      ...shared,
      displayName: 'tests',
      testMatch: [
        '<rootDir>/{services,packages,scripts}/**/*.test.{ts,tsx}',
        '<rootDir>/test/!(conformance|fuzz)/**/*.test.ts',
      ],
    },
    {
      ...shared,
      displayName: 'black box',
      testMatch: ['<rootDir>/test/{conformance,fuzz}/**/*.test.ts'],
      // These know URLs alone, so one relay serves all of them.
      globalSetup: '<rootDir>/test/black-box/share-relay.mjs',
      globalTeardown: '<rootDir>/test/black-box/stop-shared-relay.mjs',
    },
  ],
};
