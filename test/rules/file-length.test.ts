import { describe, expect, test } from '@jest/globals';
import { isCode, isTest, readTree, type Tree } from './tree.ts';

const longest = 300;

function tooLong(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => isCode(path) && !isTest(path))
    .map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > longest)
    .map(
      ({ path, lines }) =>
        `${path} has ${lines} lines: over ${longest}, it does more than one thing. Split it.`,
    );
}

function lines(count: number): string {
  return 'export {};\n'.repeat(count);
}

describe('file length', () => {
  test('is limited', () => {
    const limit = new Map([['services/hub/src/a.ts', lines(longest)]]);
    expect(tooLong(limit)).toEqual([]);
    expect(tooLong(limit.set('services/hub/src/a.ts', lines(longest + 1)))).toEqual([
      expect.stringContaining('services/hub/src/a.ts has 301 lines'),
    ]);
  });

  test('does not count for tests', () => {
    expect(tooLong(new Map([['services/hub/src/a.test.ts', lines(longest + 1)]]))).toEqual([]);
  });

  test('holds in this repo', () => {
    expect(tooLong(readTree())).toEqual([]);
  });
});
