import type { ChaosResult, EndedProcess, MemoryResult } from './result.ts';

const mostFailures = 25;
const mostRecent = 12;

/** A chaos run as a table, and its failures. */
export function formatChaosResult(result: ChaosResult): string {
  const { settings, node, connections, perSecond, honest, memory, endedProcesses, events, lostResponses } =
    result;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const ratio = honest.before.p99 > 0 ? ` (${(honest.during.p99 / honest.before.p99).toFixed(1)} x)` : '';
  const lost = [...lostResponses.values()].reduce((sum, times) => sum + times, 0);
  const rows = [
    ['', 'before', 'during', 'after'],
    ['honest calls', ...phases(result, ({ calls }) => calls.toLocaleString('en'))],
    ['honest p50', ...phases(result, ({ p50 }) => ms(p50))],
    ['honest p99', ms(honest.before.p99), ms(honest.during.p99) + ratio, ms(honest.after.p99)],
    ...memory.map((one) => [`memory of ${one.service}`, ...memoryCells(one)]),
  ];
  const counts = [
    ['processes ended', endedProcesses.length],
    ['responses lost', lost],
    ['events expected', events.expected],
    ['events lost', events.lost],
    ['events duplicated', events.duplicated],
    ['events out of order', events.outOfOrder],
  ] as const;
  const outcomes = Object.entries(result.outcomes).sort(([, one], [, other]) => other - one);
  const title = `seed ${settings.seed}, Node ${node.slice(1)}, ${connections.toLocaleString('en')} connections at ${perSecond.toFixed(0)} a second${settings.limits ? ', with rate limits' : ''}`;
  return [
    ...result.described.flatMap((text) => [text, '']),
    title,
    '',
    ...align(rows),
    '',
    ...align(counts.map(([name, count]) => [name, count.toLocaleString('en')])),
    '',
    `first responses: ${outcomes.map(([outcome, times]) => `${times.toLocaleString('en')} x ${outcome}`).join(', ')}`,
    ...result.logProblems.map(({ service, text, times }) => `${times} x in the log of ${service}: ${text}`),
    ...endedProcesses.flatMap((ended) => formatEndedProcess(ended, settings.seed)),
    '',
    ...(result.failures.length === 0
      ? ['passed']
      : ['FAILED:', ...result.failures.slice(0, mostFailures), ...result.remarks]),
  ]
    .map((line) => line.replace(/^/gm, '  ').trimEnd())
    .join('\n');
}

const phases = (
  { honest }: ChaosResult,
  show: (one: ChaosResult['honest']['before']) => string,
): string[] => [show(honest.before), show(honest.during), show(honest.after)];

function memoryCells({ before, peak, after }: MemoryResult): string[] {
  if (before === 0) return ['not measured', '', ''];
  const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(0)} MB`;
  const change = Math.round((after / before - 1) * 100);
  return [
    megabytes(before),
    `${megabytes(peak)} at most`,
    `${megabytes(after)} (${change > 0 ? '+' : ''}${change} %)`,
  ];
}

function align(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('   '),
  );
}

/** The connections of a process at its end or shortly before, the newest first. */
function formatEndedProcess({ name, at, recent }: EndedProcess, seed: number): string[] {
  const own = recent.filter(({ to }) => to === name).sort((one, other) => other.beganAt - one.beganAt);
  const suspects = own.length > 0 ? own : recent;
  const indices = suspects.slice(0, 100).map(({ index }) => index);
  return [
    '',
    `${name} ended. Connections before that:`,
    ...suspects
      .slice(0, mostRecent)
      .map(({ index, beganAt, title }) => `  ${index}, ${at - beganAt} ms before: ${title.slice(0, 120)}`),
    `To repeat it: npm run faults -- chaos --seed ${seed} --only ${Math.min(...indices)}..${Math.max(...indices)}`,
  ];
}
