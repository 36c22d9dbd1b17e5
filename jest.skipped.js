/** The end of the title of a test that `testUnless` has skipped. */
const reasonInTitle = / \(skipped: (.*)\)$/s;

/**
 * The skipped tests and why they are skipped, in lines. A test that only `-t` has left out has no reason in its title.
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
  /** @param {import('@jest/reporters').Config.GlobalConfig} global */
  constructor({ rootDir }) {
    this.root = rootDir;
  }

  onRunComplete(_contexts, { testResults }) {
    const pending = testResults.flatMap(({ testFilePath, testResults: tests }) =>
      tests
        .filter(({ status }) => status === 'pending')
        .map(({ title }) => ({ file: testFilePath.replace(`${this.root}/`, ''), title })),
    );
    const lines = skippedLines(pending);
    if (lines.length > 0) process.stderr.write(`\n${lines.join('\n')}\n`);
  }
}
