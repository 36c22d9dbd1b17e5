import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { UsageError } from '../../../scripts/terminal/failure.ts';
import type { SeedResult } from '../checks/seed-result.ts';
import { abortedResult } from '../checks/seed-result.ts';
import { makePlan } from '../plan/make-plan.ts';
import { chooseSeeds } from './choose-seeds.ts';
import { formatResults } from './format-results.ts';
import { openRecord } from './record.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fault-record-'));
  file = join(folder, 'record.md');
});
afterEach(() => rmSync(folder, { recursive: true }));

const failed = (seed: number): SeedResult => abortedResult(makePlan(seed), new Error('no | reason\nat all'));
const passed = (seed: number): SeedResult => ({ ...failed(seed), expected: 12, delivered: 12, failures: [] });
const date = new Date('2030-01-02T03:04:05Z');

describe('the record', () => {
  test('has one line for each run, and is read again', () => {
    const record = openRecord(file);
    record.add(passed(1), date);
    record.add(failed(2), date);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.at(-2)).toMatch(/^\| 1 \| 2030-01-02T03:04Z \| .* \| 12 \| 12 \| 0 \| 0 .* \| passed \|/);
    expect(lines.at(-1)).toContain('FAILED: aborted: no \\| reason at all');

    const again = openRecord(file);
    expect([1, 2, 3].map(again.hasPassed)).toEqual([true, false, false]);
    again.add(passed(2), date);
    expect(openRecord(file).hasPassed(2)).toBe(true);
  });

  test('failures and sums are shown', () => {
    const text = formatResults([passed(1), failed(2)]);
    expect(text).toContain('seed 2 FAILED:\n  aborted');
    expect(text).toMatch(/^ +2 +12 +12 +0 .* 1 FAILED$/m);
  });
});

describe('the seeds to run', () => {
  const record = { hasPassed: (seed: number) => seed <= 3 };

  test.each([
    ['the next ten that have not passed', [], [4, 5, 6, 7, 8, 9, 10, 11, 12, 13]],
    ['as many as wanted', ['--count', '2'], [4, 5]],
    ['those named, without the passed ones', ['--seeds', '2..5'], [4, 5]],
    ['those named, also if they have passed', ['--seeds', '2..3', '--again'], [2, 3]],
    ['a single one', ['--seeds', '7'], [7]],
  ])('%s', (_, args, seeds) => expect(chooseSeeds(args, record)).toEqual(seeds));

  test.each([[['--seeds', '5..2']], [['--seeds', 'x']], [['--count', '0']], [['7']], [['--seed', '7']]])(
    '%j is refused with the usage',
    (args) => {
      const choose = () => chooseSeeds(args, record);
      expect(choose).toThrow(UsageError);
      expect(choose).toThrow(/^[^\n]*\.[^\n]*\n\n {2}npm run faults(.|\n)*--seeds 1\.\.50/);
    },
  );
});
