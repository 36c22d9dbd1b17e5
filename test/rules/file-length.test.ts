import { describe, expect, test } from '@jest/globals';
import { isCode, isTest, readTree, type Tree } from './tree.ts';

const longest = 300;

function tooLong(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => isCode(path) && !isTest(path))
    .map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > longest)
    .map(
      ({ path, lines }) => `${path} has ${lines} lines: the limit is ${longest}. Split it by its subjects.`,
    );
}

function lines(count: number): string {
  return 'export {};\n'.repeat(count);
}

describe('file length', () => {
  test('a file of more than 300 lines is reported', () => {
    const limit = new Map([['services/hub/src/a.ts', lines(longest)]]);
    expect(tooLong(limit)).toEqual([]);
    expect(tooLong(limit.set('services/hub/src/a.ts', lines(longest + 1)))).toEqual([
      expect.stringContaining('services/hub/src/a.ts has 301 lines'),
    ]);
  });

  test('test files may be longer', () => {
    expect(tooLong(new Map([['services/hub/src/a.test.ts', lines(longest + 1)]]))).toEqual([]);
  });

  test('no file in this repository is too long', () => {
    expect(tooLong(readTree())).toEqual([]);
  });
});
