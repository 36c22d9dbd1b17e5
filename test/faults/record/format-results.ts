import type { SeedResult } from '../checks/seed-result.ts';

const heads = [
  ['seed', 'events', 'delivered', 'lost', 'duplicated', 'out of order', 'resets'],
  ['requests', 'expired', 'early', 'duplicated', 'missing', 's', ''],
].flat();

/** Results as a table with sums, and all failures. */
export function formatResults(results: readonly SeedResult[]): string {
  const rows = [heads, ...results.map(cells), sums(results)];
  const widths = heads.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padStart(widths[at] ?? 0))).join('  '),
  );
  const rule = '-'.repeat(Math.max(...lines.slice(0, 1).map(({ length }) => length)));
  lines.splice(-1, 0, rule);
  const failures = results.flatMap(({ seed, failures, remarks }) =>
    failures.length === 0 ? [] : ['', `seed ${seed} FAILED:`, ...failures.slice(0, 20), ...remarks],
  );
  return [...lines, ...failures].map((line) => `  ${line}`.trimEnd()).join('\n');
}

function cells({ seed, ends, seconds, faults, failures, ...counts }: SeedResult): string[] {
  const { expected, delivered, lost, duplicated, outOfOrder, resets } = counts;
  const numbers = [seed, expected, delivered, lost, duplicated, outOfOrder, resets];
  const endings = [ends.requests, ends.expired, ends.early, ends.duplicated, ends.missing];
  const title = `${failures.length > 0 ? 'FAILED  ' : ''}${faults.join(' + ')}`;
  return [
    ...[...numbers, ...endings].map((number) => number.toLocaleString('en')),
    seconds.toFixed(0),
    title,
  ];
}

function sums(results: readonly SeedResult[]): string[] {
  const sum = (pick: (result: SeedResult) => number) =>
    results.reduce((total, result) => total + pick(result), 0).toLocaleString('en');
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  return [
    `${results.length}`,
    ...(['expected', 'delivered', 'lost', 'duplicated', 'outOfOrder', 'resets'] as const).map((name) =>
      sum((result) => result[name]),
    ),
    ...(['requests', 'expired', 'early', 'duplicated', 'missing'] as const).map((name) =>
      sum(({ ends }) => ends[name]),
    ),
    sum(({ seconds }) => Math.round(seconds)),
    failed > 0 ? `${failed} FAILED` : 'all passed',
  ];
}
