import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import type { ChaosResult } from './result.ts';

const columns = [
  ['date', 'seed', 'Node', 'connections', 'a second', 'processes ended', 'honest calls', 'responses lost'],
  [
    'events expected',
    'lost',
    'duplicated',
    'p99 before',
    'p99 during',
    'most memory kept',
    'result',
    'remarks',
  ],
].flat();

const line = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;

const heading = `# Chaos runs

Written by \`npm run faults -- chaos\`, one line for each run, failed ones too: see [README.md](../README.md).

${line(columns)}${line(columns.map(() => '---'))}`;

/** Adds a run to the record in the repository. */
export function recordChaos(file: string, result: ChaosResult, date: Date): void {
  if (!existsSync(file)) writeFileSync(file, heading);
  const { settings, node, connections, perSecond, endedProcesses, honest, events, memory } = result;
  const lost = [...result.lostResponses.values()].reduce((sum, times) => sum + times, 0);
  const most = [...memory].sort((one, other) => other.after / other.before - one.after / one.before)[0];
  const growth = most ? `${most.service} ${Math.round((most.after / most.before - 1) * 100)} %` : '';
  const cells = [
    `${date.toISOString().slice(0, 16)}Z`,
    settings.seed,
    node.slice(1),
    connections,
    perSecond.toFixed(0),
    endedProcesses.length,
    honest.before.calls + honest.during.calls + honest.after.calls,
    lost,
    events.expected,
    events.lost,
    events.duplicated,
    `${honest.before.p99.toFixed(1)} ms`,
    `${honest.during.p99.toFixed(1)} ms`,
    growth,
    result.failures.length > 0 ? `FAILED: ${result.failures.slice(0, 3).join('; ')}` : 'passed',
    [...(settings.limits ? ['with rate limits'] : []), ...result.remarks].join('; '),
  ];
  appendFileSync(file, line(cells));
}
