import { relative } from 'node:path';

/** The end of the title of a test that `testUnless` has skipped. */
const reasonInTitle = / \(skipped: (.*)\)$/s;

/**
 * The skipped tests and why, in lines. A test that `-t` has left out has no reason in its title, and is not listed.
 * @param {{ file: string, title: string }[]} pending
 */
export function skippedLines(pending) {
  /** @type {Map<string, string[]>} */
  const byReason = new Map();
  for (const { file, title } of pending) {
    const reason = reasonInTitle.exec(title)?.[1];
    if (reason === undefined) continue;
    byReason.set(reason, [...(byReason.get(reason) ?? []), `${file}: ${title.replace(reasonInTitle, '')}`]);
  }
  return [...byReason].flatMap(([reason, tests]) => [
    `${tests.length} skipped: ${reason}`,
    ...tests.map((name) => `    ${name}`),
  ]);
}

/** Lists the skipped tests at the end of a run. */
// biome-ignore lint/style/noDefaultExport: Jest takes no other.
export default class {
  /**
   * @param {unknown} _contexts
   * @param {{ testResults: { testFilePath: string, testResults: { status: string, title: string }[] }[] }} results
   */
  onRunComplete(_contexts, { testResults }) {
    const pending = testResults.flatMap(({ testFilePath, testResults: tests }) =>
      tests
        .filter(({ status }) => status === 'pending')
        .map(({ title }) => ({ file: relative(process.cwd(), testFilePath), title })),
    );
    const lines = skippedLines(pending);
    if (lines.length > 0) process.stderr.write(`\n${lines.join('\n')}\n`);
  }
}
