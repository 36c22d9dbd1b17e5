// node --import tsx scripts/ci/count-tests.ts <jest's --json file> <exit code of npm test>
//
// Prints every suite with its time to stderr; to stdout `<passed> <failed>`, and then the skipped tests with their reasons and
// the failed ones, last: the end of a long output is what people see.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { skippedLines } from '../jest/skipped.js';

interface JestResult {
  numPassedTests: number;
  numFailedTests: number;
  /** Suites that broke before their first test. */
  numRuntimeErrorTestSuites: number;
  testResults: {
    name: string;
    status: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; title: string }[];
  }[];
}

const [file = '', exitCode = '1'] = process.argv.slice(2);
const result: JestResult | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;

for (const { name, status, startTime, endTime } of result?.testResults ?? []) {
  // Jest has another status for suites with skipped tests.
  const mark = { passed: '✓', failed: '✗' }[status] ?? '○';
  console.error(
    `    ${mark} ${relative(process.cwd(), name)} (${((endTime - startTime) / 1000).toFixed(1)} s)`,
  );
}

const passed = result?.numPassedTests ?? 0;
const broken = (result?.numFailedTests ?? 0) + (result?.numRuntimeErrorTestSuites ?? 0);
// Whatever ended badly without naming a test (the build, a server, a handle left open) counts as one.
const unnamed = broken === 0 && (exitCode !== '0' || passed === 0);
if (unnamed) console.error(`    ✗ ${passed} tests passed, and npm test ended with exit code ${exitCode}`);

const testsWith = (wanted: string) =>
  (result?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === wanted)
      .map(({ title }) => ({ file: relative(process.cwd(), name), title })),
  );
console.log(
  [
    `${passed} ${unnamed ? 1 : broken}`,
    ...skippedLines(testsWith('pending')),
    ...testsWith('failed').map(({ file, title }) => `✗ ${file}: ${title}`),
  ].join('\n'),
);
