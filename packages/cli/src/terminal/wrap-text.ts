import { splitByWidth, textWidth } from './text-width.ts';

/**
 * Breaks lines at spaces, and words that are longer than a line where the line ends. Keeps indents, empty lines, and
 * whatever matches `unbroken`.
 */
export function wrapText(text: string, columns: number, unbroken?: string): string[] {
  const pieces = new RegExp(unbroken ? `${unbroken}|\\s+|\\S+` : '\\s+|\\S+', 'gu');
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(columns, 1), pieces));
}

/** Looks at each character once or twice: a text may have a megabyte without a space. */
function wrapLine(line: string, columns: number, pieces: RegExp): string[] {
  if (textWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let [current, width] = ['', 0];
  for (const piece of line.match(pieces) ?? []) {
    const more = textWidth(piece);
    if (width + more <= columns) {
      current += piece;
      width += more;
      continue;
    }
    if (current.trim() !== '') lines.push(current.trimEnd());
    [current, width] = ['', 0];
    if (/^\s/u.test(piece)) continue;
    const isUnbroken = /\s/u.test(piece);
    for (const part of isUnbroken ? [piece] : splitByWidth(piece, columns)) {
      if (current !== '') lines.push(current);
      current = part;
    }
    width = textWidth(current);
  }
  return current.trim() === '' ? lines : [...lines, current];
}
