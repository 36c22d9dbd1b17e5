import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { skippedLines } from './skipped.js';

/** @typedef {{ path: string, seconds: number, cpu: number, broken: boolean, failure: string, tests: { title: string, status: string }[] }} ReportedFile */
/** @typedef {{ passed: number, failed: number, files: ReportedFile[] }} Report what `RELAY_TEST_REPORT` gets, for .ci/run */
/** @typedef {{ status: string, title: string, fullName: string }} TestResult */
/** @typedef {{ message: string, type: string }} Printed */
/**
 * @typedef {object} FileResult
 * @property {string} testFilePath
 * @property {TestResult[]} testResults
 * @property {Printed[]} [console]
 * @property {string | null} [failureMessage]
 * @property {unknown} [testExecError] of a file that broke before its first test
 * @property {{ start: number, end: number }} perfStats
 */
/** @typedef {{ numTotalTestSuites: number, numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number, numPendingTests: number, testResults: FileResult[] }} Results */

const { stdout } = process;
/** A terminal gets one line that changes, and others a line at each tenth of the files. */
const isLive = stdout.isTTY === true;
const everyLineUpTo = 20;

/** @param {number} number */
const thousands = (number) => number.toLocaleString('en');

/** @param {number} milliseconds */
function time(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Shows how far the run is, each failure when it occurs, and at the end the sum, what was skipped and what failed. */
// biome-ignore lint/style/noDefaultExport: Jest takes no other.
export default class {
  began = Date.now();
  files = 0;
  done = 0;
  state = '';
  /** @type {ReturnType<typeof setInterval> | undefined} */
  timer;
  line = '';

  /** @param {Results} results */
  onRunStart({ numTotalTestSuites: files }) {
    this.files = files;
    const usual = process.env.RELAY_TEST_USUAL;
    this.show(`  … tests      ${files} files${usual ? `, usually ${usual}` : ''}`);
    if (!isLive) return;
    this.timer = setInterval(() => this.draw(), 1_000);
    this.timer.unref();
  }

  /** @param {unknown} _test @param {FileResult} file @param {Results} results */
  onTestResult(_test, file, results) {
    this.done += 1;
    const { passed, failed } = sum(results);
    const path = relative(process.cwd(), file.testFilePath);
    const failure = file.failureMessage;
    const printed = (file.console ?? []).map(({ type, message }) => `    ${type}: ${message}`);
    if (failure || printed.length > 0 || this.files <= everyLineUpTo) {
      const seconds = time(file.perfStats.end - file.perfStats.start);
      this.show(`  ${failure ? '✗' : '✓'} ${path} (${seconds})`);
      for (const text of printed) this.show(text);
      if (failure) this.show(failure);
    }
    this.state = `${this.done} of ${this.files} files, ${thousands(passed)} passed${failed ? `, ${failed} failed` : ''}`;
    const tenth = Math.ceil(this.files / 10);
    if (isLive) this.draw();
    else if (this.files > everyLineUpTo && this.done % tenth === 0)
      this.show(`  … tests      ${this.state}  ${time(Date.now() - this.began)}`);
  }

  /** @param {unknown} _contexts @param {Results} results */
  onRunComplete(_contexts, results) {
    clearInterval(this.timer);
    const { passed, failed } = sum(results);
    const files = reportedFiles(results);
    const skipped = skippedLines(testsWith(files, 'pending'));
    const broken = files.filter((file) => file.broken);
    const names = [
      ...testsWith(files, 'failed').map(({ file, title }) => `  ✗ ${file}: ${title}`),
      ...broken.map((file) => `  ${brokenLine(file)}`),
    ];
    const counts = [
      `${thousands(passed)} passed`,
      ...(failed ? [`${failed} failed`] : []),
      ...(skipped.length > 0 ? [`${results.numPendingTests} skipped`] : []),
    ];
    this.show(
      `  ${failed ? '✗' : '✓'} tests      ${counts.join(', ')}, in ${results.testResults.length} files  ${time(Date.now() - this.began)}`,
    );
    for (const text of [...skipped.map((line) => `    ${line}`), ...names]) this.show(text);
    const { RELAY_TEST_REPORT: report } = process.env;
    if (report) writeFileSync(report, JSON.stringify(/** @type {Report} */ ({ passed, failed, files })));
  }

  /** @param {string} text */
  show(text) {
    stdout.write(`${isLive ? '\r\u001b[K' : ''}${text}\n${isLive ? this.line : ''}`);
  }

  draw() {
    if (!this.state) return;
    this.line = `  … tests      ${this.state}  ${time(Date.now() - this.began)}`;
    stdout.write(`\r\u001b[K${this.line}`);
  }
}

/** A file that broke outside of its tests. @param {ReportedFile} file */
export const brokenLine = ({ path, tests }) =>
  `✗ ${path} broke ${tests.length === 0 ? 'before its first test' : 'outside of its tests'}`;

/** A file that broke counts as one failure. @param {Results} results */
const sum = ({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) => ({
  passed: numPassedTests,
  failed: numFailedTests + numRuntimeErrorTestSuites,
});

/** @param {ReportedFile[]} files @param {string} wanted */
const testsWith = (files, wanted) =>
  files.flatMap(({ path, tests }) =>
    tests.filter(({ status }) => status === wanted).map(({ title }) => ({ file: path, title })),
  );

/** @param {Results} results @returns {ReportedFile[]} */
function reportedFiles({ testResults }) {
  const { RELAY_CPU_RECORD: record = '' } = process.env;
  const lines = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : [];
  const used = new Map(lines.map((line) => JSON.parse(line)).map(({ path, cpu }) => [path, cpu]));
  return testResults.map(
    ({ testFilePath, testResults: tests, testExecError, failureMessage, perfStats }) => ({
      path: relative(process.cwd(), testFilePath),
      seconds: (perfStats.end - perfStats.start) / 1000,
      cpu: used.get(testFilePath) ?? 0,
      broken: testExecError !== undefined && testExecError !== null,
      failure: failureMessage ?? '',
      tests: tests.map(({ title, status }) => ({ title, status })),
    }),
  );
}
