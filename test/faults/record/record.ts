import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { SeedResult } from '../checks/seed-result.ts';

/** The record in the repository: a table with one line for each run of a seed, failed ones included. */
export interface Record {
  /** Whether the newest run of a seed has passed. */
  hasPassed(seed: number): boolean;
  add(result: SeedResult, date: Date): void;
}

const columns = [
  ['seed', 'date', 'faults'],
  ['events expected', 'delivered', 'lost', 'duplicated', 'out of order', 'allowed resets'],
  ['requests', 'expired', 'early', 'duplicated', 'missing'],
  ['seconds', 'result', 'remarks'],
].flat();

const heading = `# Seeds that were run

Written by \`npm run faults\`, one line for each run, failed ones too: see [README.md](README.md). Events are
summed over all resuming readers; a reader that was reset because NATS lost events may have received more or
fewer. Requests count once, however many readers there are.

${line(columns)}
${line(columns.map(() => '---'))}
`;

export function openRecord(file: string): Record {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : heading;
  if (!existsSync(file)) writeFileSync(file, heading);
  const passed = new Map<number, boolean>();
  for (const [, seed, rest] of text.matchAll(/^\| (\d+) \|(.*)$/gm))
    passed.set(Number(seed), !rest?.includes('FAILED'));

  return {
    hasPassed: (seed) => passed.get(seed) === true,
    add(result, date) {
      passed.set(result.seed, result.failures.length === 0);
      appendFileSync(file, `${line(cells(result, date))}\n`);
    },
  };
}

function cells(result: SeedResult, date: Date): string[] {
  const { seed, faults, expected, delivered, lost, duplicated, outOfOrder, resets, ends } = result;
  const failed = result.failures.length > 0 ? `FAILED: ${result.failures.join('; ')}` : 'passed';
  const numbers = [expected, delivered, lost, duplicated, outOfOrder, resets];
  const endings = [ends.requests, ends.expired, ends.early, ends.duplicated, ends.missing];
  return [
    `${seed}`,
    `${date.toISOString().slice(0, 16)}Z`,
    faults.join(' + '),
    ...[...numbers, ...endings].map(String),
    result.seconds.toFixed(0),
    failed,
    result.remarks.join('; '),
  ];
}

function line(cellTexts: readonly string[]): string {
  return `| ${cellTexts.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}
