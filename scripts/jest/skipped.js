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
