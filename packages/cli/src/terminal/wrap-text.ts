import { splitByWidth, textWidth } from './text-width.ts';

/** Breaks lines at spaces, and words that are longer than a line where the line ends. Keeps indents and empty lines. */
export function wrapText(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(columns, 1)));
}

/** Looks at each character once or twice: whoever writes to us may write a megabyte without a space. */
function wrapLine(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let [current, width] = ['', 0];
  for (const piece of line.match(/\s+|\S+/gu) ?? []) {
    const more = textWidth(piece);
    if (width + more <= columns) {
      current += piece;
      width += more;
      continue;
    }
    if (current.trim() !== '') lines.push(current.trimEnd());
    [current, width] = ['', 0];
    if (/^\s/u.test(piece)) continue;
    for (const part of splitByWidth(piece, columns)) {
      if (current !== '') lines.push(current);
      current = part;
    }
    width = textWidth(current);
  }
  return current.trim() === '' ? lines : [...lines, current];
}
