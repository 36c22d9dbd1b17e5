import { parseArgs } from 'node:util';
import { UsageError } from '../../../scripts/terminal/failure.ts';
import type { Record } from './record.ts';

const defaultCount = 10;

/**
 * Reads the command line: `--seeds 1..50` or `--seeds 7`, without those that have passed, or `--count 10`, the next
 * ones that have not. `--again` includes those that have passed.
 */
export function chooseSeeds(args: string[], record: Pick<Record, 'hasPassed'>): number[] {
  const values = readOptions(args);
  const isWanted = (seed: number) => values.again || !record.hasPassed(seed);
  if (values.seeds !== undefined) return readRange(values.seeds).filter(isWanted);
  const count = Number(values.count ?? defaultCount);
  if (!Number.isInteger(count) || count < 1) throw refuse('--count takes a whole number from 1.');
  const seeds: number[] = [];
  for (let seed = 1; seeds.length < count; seed++) if (isWanted(seed)) seeds.push(seed);
  return seeds;
}

function readRange(text: string): number[] {
  const [, first, last] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last ?? first)];
  if (!(from >= 1 && to >= from)) throw refuse(`"${text}" names no seeds.`);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function readOptions(args: string[]) {
  try {
    const options = {
      seeds: { type: 'string' },
      count: { type: 'string' },
      again: { type: 'boolean', default: false },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw refuse(`${(error as Error).message.split('. ')[0]}.`);
  }
}

const refuse = (sentence: string) =>
  new UsageError(`${sentence} Usage:

  npm run faults                        ${defaultCount} seeds that have not passed yet
  npm run faults -- --count 3           three of them
  npm run faults -- --seeds 1..50       these, without those that have passed
  npm run faults -- --seeds 7 --again   this one, whether it has passed or not`);
