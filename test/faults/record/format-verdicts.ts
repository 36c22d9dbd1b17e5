import type { Verdict } from '../verdict/verdict.ts';

const heads = [
  ['seed', 'events', 'delivered', 'lost', 'doubled', 'disorder', 'resets'],
  ['requests', 'expired', 'early', 'doubled', 'missing', 's', ''],
].flat();

/** The seeds of one call as a table, sums below, and what failed in full. */
export function formatVerdicts(verdicts: readonly Verdict[]): string {
  const rows = [heads, ...verdicts.map(cells), sums(verdicts)];
  const widths = heads.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padStart(widths[at] ?? 0))).join('  '),
  );
  const rule = '-'.repeat(Math.max(...lines.slice(0, 1).map(({ length }) => length)));
  lines.splice(-1, 0, rule);
  const failures = verdicts.flatMap(({ seed, failures, remarks }) =>
    failures.length === 0 ? [] : ['', `seed ${seed} FAILED:`, ...failures.slice(0, 20), ...remarks],
  );
  return [...lines, ...failures].map((line) => `  ${line}`.trimEnd()).join('\n');
}

function cells({ seed, ends, seconds, faults, failures, ...counts }: Verdict): string[] {
  const { expected, delivered, lost, doubled, disordered, resets } = counts;
  const numbers = [seed, expected, delivered, lost, doubled, disordered, resets];
  const endings = [ends.requests, ends.expired, ends.early, ends.doubled, ends.missing];
  const title = `${failures.length > 0 ? 'FAILED  ' : ''}${faults.join(' + ')}`;
  return [
    ...[...numbers, ...endings].map((number) => number.toLocaleString('en')),
    seconds.toFixed(0),
    title,
  ];
}

function sums(verdicts: readonly Verdict[]): string[] {
  const sum = (pick: (verdict: Verdict) => number) =>
    verdicts.reduce((total, verdict) => total + pick(verdict), 0).toLocaleString('en');
  const failed = verdicts.filter(({ failures }) => failures.length > 0).length;
  return [
    `${verdicts.length}`,
    ...(['expected', 'delivered', 'lost', 'doubled', 'disordered', 'resets'] as const).map((name) =>
      sum((verdict) => verdict[name]),
    ),
    ...(['requests', 'expired', 'early', 'doubled', 'missing'] as const).map((name) =>
      sum(({ ends }) => ends[name]),
    ),
    sum(({ seconds }) => Math.round(seconds)),
    failed > 0 ? `${failed} FAILED` : 'all passed',
  ];
}
