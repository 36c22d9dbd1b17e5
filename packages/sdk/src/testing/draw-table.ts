/** A table of texts, for the output of a test. */
export function drawTable(title: string, rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return `\n${title}\n${lines.map((line) => `  ${line.trimEnd()}\n`).join('')}`;
}
