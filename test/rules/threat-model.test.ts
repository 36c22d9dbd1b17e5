import { describe, expect, test } from '@jest/globals';
import { readTree, type Tree } from './tree.ts';

const page = 'docs/threat-model.md';

/** The rows of a table name the tests that show what holds. */
function wrongRows(tree: Tree): string[] {
  const rows = (tree.get(page) ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Can reach '));
  return rows.flatMap((row) => {
    const named = [...row.matchAll(/\]\(\.\.\/([^)]+\.test\.tsx?)\)/g)].map(([, path = '']) => path);
    if (named.length === 0) return [`${page}: no test shows this: ${row}`];
    return named.filter((path) => !tree.has(path)).map((path) => `${page}: there is no test ${path}.`);
  });
}

describe('the threat model', () => {
  test('a row without a test, or with one that does not exist, is reported', () => {
    const tree = new Map([
      ['a.test.ts', ''],
      [page, '| Can reach | |\n| a | [a](../a.test.ts) |\n| b | [b](../b.test.ts) |\n| c | nothing |\n'],
    ]);
    expect(wrongRows(tree)).toEqual([
      expect.stringContaining('there is no test b.test.ts'),
      expect.stringContaining('no test shows this: | c |'),
    ]);
  });

  test('names tests that exist', () => {
    const tree = readTree();
    expect(tree.get(page)?.match(/\.test\.ts\)/g)?.length).toBeGreaterThan(30);
    expect(wrongRows(tree)).toEqual([]);
  });
});
