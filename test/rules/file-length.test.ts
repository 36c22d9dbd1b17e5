import { describe, expect, test } from '@jest/globals';
import { isCode, isTest, readTree, type Tree } from './tree.ts';

const longest = 250;
const median = 60;

function tooLong(tree: Tree): string[] {
  const lengths = [...tree]
    .filter(([path]) => isCode(path) && !isTest(path))
    .map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }))
    .sort((one, other) => one.lines - other.lines);
  const problems = lengths
    .filter(({ lines }) => lines > longest)
    .map(
      ({ path, lines }) =>
        `${path} has ${lines} lines: over ${longest}, it does more than one thing. Split it.`,
    );
  const middle = lengths[Math.floor(lengths.length / 2)]?.lines ?? 0;
  if (middle > median) {
    problems.push(
      `The median file has ${middle} lines: over ${median}, files have stopped being about one thing.`,
    );
  }
  return problems;
}

function lines(count: number): string {
  return 'export {};\n'.repeat(count);
}

describe('file length', () => {
  test('is limited for each file and for the middle one', () => {
    const edge = new Map([
      ['services/hub/src/a.ts', lines(longest)],
      ['scripts/b.ts', lines(1)],
      ['scripts/c.ts', lines(1)],
    ]);
    expect(tooLong(edge)).toEqual([]);
    expect(tooLong(edge.set('services/hub/src/a.ts', lines(longest + 1)))).toEqual([
      expect.stringContaining('services/hub/src/a.ts has 251 lines'),
    ]);
    expect(tooLong(new Map([['scripts/a.ts', lines(median + 1)]]))).toEqual([
      expect.stringContaining('The median file has 61 lines'),
    ]);
  });

  test('does not count for tests', () => {
    expect(tooLong(new Map([['services/hub/src/a.test.ts', lines(longest + 1)]]))).toEqual([]);
  });

  test('holds in this repo', () => {
    expect(tooLong(readTree())).toEqual([]);
  });
});
