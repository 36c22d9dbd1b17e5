import { describe, expect, test } from '@jest/globals';
import { readTree, type Tree } from './tree.ts';

interface Row {
  readonly resource: string;
  readonly limit: string;
  readonly variable: string | undefined;
  readonly testPath: string;
  readonly testTitle: string;
}

function rowsOf(page: string): Row[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Resource '))
    .map((line) => {
      const [, resource = '', limit = '', variable = '', , testCell = ''] = line
        .split('|')
        .map((cell) => cell.trim());
      const [, testPath = '', testTitle = ''] = /\]\(\.\.\/([^)]+)\): "(.+)"$/.exec(testCell) ?? [];
      return { resource, limit, variable: /`(\w+)`/.exec(variable)?.[1], testPath, testTitle };
    });
}

function wrongLimits(tree: Tree): string[] {
  const configuration = tree.get('docs/configuration.md') ?? '';
  return rowsOf(tree.get('docs/limits.md') ?? '').flatMap(
    ({ resource, limit, variable, testPath, testTitle }) => {
      const problems: string[] = [];
      const code = tree.get(testPath);
      if (code === undefined) problems.push(`docs/limits.md, ${resource}: there is no test ${testPath}.`);
      else if (!code.includes(testTitle))
        problems.push(`${testPath}: no test is titled "${testTitle}" (docs/limits.md).`);
      if (variable === undefined) return problems;
      const section = configuration.split('\n## ').find((text) => text.startsWith(`\`${variable}\``));
      if (!section) problems.push(`docs/limits.md, ${resource}: there is no variable ${variable}.`);
      const [, fallback] = /Default: `([^`]+)`/.exec(section ?? '') ?? [];
      const [stated = ''] = limit.replaceAll(',', '').split(' ');
      if (/^\d/.test(stated) && stated !== fallback) {
        problems.push(
          `docs/limits.md, ${resource}: the default of ${variable} is ${fallback}, not ${limit}.`,
        );
      }
      return problems;
    },
  );
}

describe('docs/limits.md', () => {
  test('a wrong variable, default or test is reported', () => {
    const row = (limit: string, variable: string, testCell: string) =>
      `| things | ${limit} | \`${variable}\` | 429 | [a](../${testCell} |\n`;
    const tree = new Map([
      ['docs/configuration.md', '# Configuration\n\n## `RELAY_A`\n\n- Default: `1000`.\n'],
      ['a.test.ts', "test('holds', () => {})"],
      [
        'docs/limits.md',
        row('1,000', 'RELAY_A', 'a.test.ts): "holds"') +
          row('999', 'RELAY_A', 'a.test.ts): "holds"') +
          row('1', 'RELAY_B', 'b.test.ts): "holds"') +
          row('1,000', 'RELAY_A', 'a.test.ts): "breaks"'),
      ],
    ]);
    expect(wrongLimits(tree)).toEqual([
      expect.stringContaining('the default of RELAY_A is 1000, not 999'),
      expect.stringContaining('there is no test b.test.ts'),
      expect.stringContaining('there is no variable RELAY_B'),
      expect.stringContaining('the default of RELAY_B is undefined'),
      expect.stringContaining('no test is titled "breaks"'),
    ]);
  });

  test('agrees with the settings and the tests', () => {
    const page = readTree().get('docs/limits.md') ?? '';
    expect(rowsOf(page).length).toBeGreaterThan(30);
    expect(wrongLimits(readTree())).toEqual([]);
  });
});
