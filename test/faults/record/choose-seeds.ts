import { parseArgs } from 'node:util';
import { StepError } from '../../../scripts/terminal/step-error.ts';
import type { Record } from './record.ts';

const usual = 10;

/**
 * What the command line asks for: `--seeds 1..50` or `--seeds 7`, without those that have passed, or
 * `--count 10`, the next ones that have not. `--again` runs them whatever the record says.
 */
export function chooseSeeds(args: string[], record: Pick<Record, 'hasPassed'>): number[] {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string' },
      count: { type: 'string' },
      again: { type: 'boolean', default: false },
    },
  });
  const isOpen = (seed: number) => values.again || !record.hasPassed(seed);
  if (values.seeds !== undefined) return readRange(values.seeds).filter(isOpen);
  const count = Number(values.count ?? usual);
  if (!Number.isInteger(count) || count < 1) throw new StepError('--count takes a whole number from 1.');
  const seeds: number[] = [];
  for (let seed = 1; seeds.length < count; seed++) if (isOpen(seed)) seeds.push(seed);
  return seeds;
}

function readRange(text: string): number[] {
  const [, first, last] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last ?? first)];
  if (!(from >= 1 && to >= from))
    throw new StepError(`"${text}" names no seeds. Say --seeds 7 for one, or --seeds 1..50 for many.`);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
