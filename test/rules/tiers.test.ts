import { describe, expect, test } from '@jest/globals';
import { heavy, isHeavy } from '../tiers.js';
import { isTest, readTree, type Tree } from './tree.ts';

const testFile = /\.test\.tsx?$/;
/** A command in a page or a comment, and the first name after it. */
const command = /npm (?:test|run (test:all|test:rest)) -- (?!-)([\w./-]+)/g;

/** Commands that would end with an error, since no test of their tier has the name in its path. */
function wrongCommands(tree: Tree): string[] {
  const tests = [...tree.keys()].filter((path) => testFile.test(path));
  return [...tree]
    .filter(([path]) => !path.startsWith('test/rules/tiers') && path !== 'CONTRIBUTING.md')
    .flatMap(([path, text]) =>
      [...text.matchAll(command)].flatMap(([line, tier, name = '']) => {
        const named = tests.filter((file) => file.toLowerCase().includes(name.toLowerCase()));
        const fits = { 'test:rest': named.some(isHeavy), 'test:all': named.length > 0 }[tier ?? ''];
        return (fits ?? named.some((file) => !isHeavy(file))) ? [] : [`${path}: "${line}" runs no test.`];
      }),
    );
}

describe('the two tiers of tests', () => {
  test('each entry of the list names tests', () => {
    const tests = [...readTree().keys()].filter((path) => testFile.test(path) && isTest(path));
    const unused = heavy.filter(
      (entry) => !tests.some((path) => path.startsWith(entry.endsWith('/') ? entry : `${entry}.test.`)),
    );
    expect(unused).toEqual([]);
  });

  test('commands that run no test are reported', () => {
    const tree = new Map([
      ['packages/kit/src/a.test.ts', ''],
      ['test/python/b.test.ts', ''],
      ['README.md', 'npm test -- packages/kit, npm test -- test/python, npm run test:all -- test/python'],
    ]);
    expect(wrongCommands(tree)).toEqual(['README.md: "npm test -- test/python" runs no test.']);
  });

  test('pages and comments have none', () => {
    expect(wrongCommands(readTree())).toEqual([]);
  });
});
