import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Verdict } from '../verdict/verdict.ts';

/** What was run so far, kept in the repo: a table with one line for each run of a seed, failures included. */
export interface Record {
  /** Whether the newest run of a seed is there and was good. */
  hasPassed(seed: number): boolean;
  add(verdict: Verdict, date: Date): void;
}

const columns = [
  ['seed', 'date', 'faults'],
  ['events expected', 'delivered', 'lost', 'doubled', 'out of order', 'honest resets'],
  ['requests', 'expired', 'early', 'doubled', 'missing'],
  ['seconds', 'result', 'remarks'],
].flat();

const heading = `# Seeds that were run

Written by \`npm run faults\`, one line for each run, failed ones too: see [README.md](README.md). Events are
summed over all resuming readers; a reader that was honestly told that its position is gone may have got more
or fewer. Requests count once, however many readers there are.

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
    add(verdict, date) {
      passed.set(verdict.seed, verdict.failures.length === 0);
      appendFileSync(file, `${line(cells(verdict, date))}\n`);
    },
  };
}

function cells(verdict: Verdict, date: Date): string[] {
  const { seed, faults, expected, delivered, lost, doubled, disordered, resets, ends } = verdict;
  const failed = verdict.failures.length > 0 ? `FAILED: ${verdict.failures.join('; ')}` : 'passed';
  const numbers = [expected, delivered, lost, doubled, disordered, resets];
  const endings = [ends.requests, ends.expired, ends.early, ends.doubled, ends.missing];
  return [
    `${seed}`,
    `${date.toISOString().slice(0, 16)}Z`,
    faults.join(' + '),
    ...[...numbers, ...endings].map(String),
    verdict.seconds.toFixed(0),
    failed,
    verdict.remarks.join('; '),
  ];
}

function line(cellTexts: readonly string[]): string {
  return `| ${cellTexts.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}
