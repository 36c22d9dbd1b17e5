/**
 * The longest text of one block. To lay out a block of mixed scripts or of a script without spaces takes a browser quadratic
 * time: half a second for 30,000 characters, and nine minutes for a million.
 */
export const maxBlockLength = 5_000;

/** Splits a long text into parts for blocks of their own: after a line break, else after a space, else between characters. */
export function splitText(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > maxBlockLength) {
    const length = partLength(rest.slice(0, maxBlockLength));
    parts.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return [...parts, rest];
}

function partLength(longest: string): number {
  const end = longest.lastIndexOf('\n') + 1 || longest.lastIndexOf(' ') + 1;
  if (end > 0) return end;
  // No character is cut in half.
  return /[\ud800-\udbff]$/.test(longest) ? longest.length - 1 : longest.length;
}

/** About as high as a part is, while the browser has not laid it out yet. */
export const partStyle = (part: string) => ({
  containIntrinsicSize: `auto ${part.match(/.{1,80}\n?|\n/g)?.length ?? 1}lh`,
});
