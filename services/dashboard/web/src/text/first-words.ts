import { showHidden } from '@expert-relay/sdk/safe';

/** The beginning of a text in one line, as it was written. No character is cut in half at its end. */
export function firstWords(text: string, length: number): string {
  // White space that is left out makes room for more.
  const read = text.trimStart().slice(0, length + 100);
  const line = showHidden(read.replace(/\s+/g, ' ').trimEnd(), { prose: true });
  const isWhole = line.length <= length && read.trimEnd().length === text.trim().length;
  return isWhole ? line : `${line.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
