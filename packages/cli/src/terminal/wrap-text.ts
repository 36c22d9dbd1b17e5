import { splitAtWidth, textWidth } from './text-width.ts';

/** Breaks lines at spaces, and words that are longer than a line where the line ends. Keeps indents and empty lines. */
export function wrapText(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(columns, 1)));
}

function wrapLine(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let current = '';
  for (const piece of line.match(/\s+|\S+/gu) ?? []) {
    if (textWidth(current + piece) <= columns) {
      current += piece;
      continue;
    }
    if (current.trim() !== '') lines.push(current.trimEnd());
    current = /^\s/u.test(piece) ? '' : piece;
    while (textWidth(current) > columns) {
      const [fits, rest] = splitAtWidth(current, columns);
      lines.push(fits);
      current = rest;
    }
  }
  return current.trim() === '' ? lines : [...lines, current];
}
