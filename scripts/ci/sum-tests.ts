// node --import tsx scripts/ci/sum-tests.ts <report> <exit code> [<report> <exit code>]
//
// Sums the reports of several runs (RELAY_TEST_REPORT). To stdout `<passed> <failed>`, then where the CPU time went, the skipped
// tests with their reasons, and the failed ones last, with why: the end of a long output is what people see.
import { existsSync, readFileSync } from 'node:fs';
import { isHeavy } from '../../test/tiers.js';
import { brokenLine, type Report, type ReportedFile } from '../jest/reporter.js';
import { skippedLines } from '../jest/skipped.js';

/** Of what is said about the failures of one file. */
const mostLines = 60;

const args = process.argv.slice(2);
const files: ReportedFile[] = [];
const problems: string[] = [];
let [passed, failed] = [0, 0];

for (let at = 0; at < args.length; at += 2) {
  const [path = '', exitCode = '1'] = args.slice(at, at + 2);
  const report: Report = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : { passed: 0, failed: 0, files: [] };
  files.push(...report.files);
  passed += report.passed;
  failed += report.failed;
  // Whatever ended badly without naming a test (the build, a server, a handle left open) counts as one.
  if (report.failed === 0 && (exitCode !== '0' || report.passed === 0)) {
    failed += 1;
    problems.push(`✗ ${report.passed} tests of ${path} passed, and the run ended with exit code ${exitCode}`);
  }
}

const cpuOf = (some: readonly ReportedFile[]) => Math.round(some.reduce((sum, { cpu }) => sum + cpu, 0));
const quick = files.filter(({ path }) => !isHeavy(path));
/** CPU seconds of one quick file, or on a machine that needs more for everything, this share of them all. */
const quickFileLimit = Math.max(10, cpuOf(quick) / 25);
for (const { path, cpu } of quick.filter((file) => file.cpu > quickFileLimit)) {
  failed += 1;
  problems.push(
    `✗ ${path} needs ${cpu.toFixed(1)} s of CPU: at most ${quickFileLimit.toFixed(0)}, or list it in test/tiers.js`,
  );
}

const folderOf = (path: string) => path.split('/').slice(0, 2).join('/');
const dearest = files.toSorted((one, other) => other.cpu - one.cpu).slice(0, 10);
const testsWith = (wanted: string) =>
  files.flatMap(({ path, tests }) =>
    tests.filter(({ status }) => status === wanted).map(({ title }) => ({ file: path, title })),
  );

console.log(
  [
    `${passed} ${failed}`,
    'CPU seconds of the tests, quick + rest, without the servers:',
    ...[...new Set(files.map(({ path }) => folderOf(path)))].sort().map((folder) => {
      const inFolder = files.filter(({ path }) => folderOf(path) === folder);
      const [ofQuick, ofRest] = [
        inFolder.filter(({ path }) => !isHeavy(path)),
        inFolder.filter(({ path }) => isHeavy(path)),
      ];
      return `    ${folder.padEnd(28)} ${String(cpuOf(ofQuick)).padStart(4)} + ${String(cpuOf(ofRest)).padStart(4)}`;
    }),
    'The dearest files:',
    ...dearest.map(({ path, cpu }) => `    ${cpu.toFixed(1).padStart(6)} s  ${path}`),
    ...skippedLines(testsWith('pending')),
    ...files.flatMap(({ failure }) => failure.split('\n').slice(0, mostLines)).filter(Boolean),
    ...files.filter(({ broken }) => broken).map(brokenLine),
    ...testsWith('failed').map(({ file, title }) => `✗ ${file}: ${title}`),
    ...problems,
  ].join('\n'),
);
