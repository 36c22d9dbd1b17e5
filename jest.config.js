/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/{services,packages,scripts,test}/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Tests read the sources of every workspace, never what was built from them.
  testEnvironmentOptions: { customExportConditions: ['relay-source', 'node', 'node-addons'] },
  // Real servers, on a machine that may be busy: a limit is for what hangs, not for what is slow.
  testTimeout: 30_000,
  modulePathIgnorePatterns: ['/dist/', '/\\.relay'],
};
