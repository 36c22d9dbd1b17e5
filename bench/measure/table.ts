import { formatSpread, type Spread } from './spread.ts';

/** One line of the table. A figure that does not apply is left out. */
export interface Line {
  readonly title: string;
  readonly ratio?: Spread;
  readonly goal?: { readonly text: string; readonly reached: boolean };
  readonly cpuRatio?: Spread;
  readonly perSecond?: Spread;
  readonly cpu?: Spread;
  readonly load?: Spread;
  /** Printed after the title, instead of the figures. */
  readonly note?: string;
}

const columns = ['', 'throughput ratio', 'goal', 'CPU ratio', 'calls/s', 'CPU us/call', 'load'] as const;

/** The figures as text, one line each; every ratio as `median (min-max)`. */
export function formatTable(lines: readonly Line[]): string {
  const rows = [columns, ...lines.map(cells)];
  const widths = columns.map((_, at) =>
    Math.max(...rows.filter((row) => row.length > 1).map((row) => row[at]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cells({ title, ratio, goal, cpuRatio, perSecond, cpu, load, note }: Line): readonly string[] {
  if (note !== undefined) return [`${title}  ${note}`];
  return [
    title,
    ratio ? formatSpread(ratio, 2) : '',
    goal ? `${goal.text} ${goal.reached ? 'met' : 'MISSED'}` : '',
    cpuRatio ? formatSpread(cpuRatio, 2) : '',
    perSecond ? Math.round(perSecond.median).toLocaleString('en') : '',
    cpu ? cpu.median.toFixed(0) : '',
    load ? `${Math.round(load.median * 100)} %` : '',
  ];
}
