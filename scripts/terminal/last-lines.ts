/** The end of some output, for a reader who wants to know why it failed. */
export function lastLines(text: string, count = 20): string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-count);
}
