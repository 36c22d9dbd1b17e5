/** The beginning of a text in one line, without half a character at its end. */
export function firstWords(text: string, length: number): string {
  const line = text
    .slice(0, length + 100)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= length) return line;
  return `${line.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
