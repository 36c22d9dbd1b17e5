import { exactTexts } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { fence } from './fence.ts';

test.each([
  ['a: 1', 'values.yaml', '```yaml\na: 1\n```'],
  ['a: 1\n', 'values.YML', '```yml\na: 1\n```'],
  ['int main', 'main.c++', '```c++\nint main\n```'],
  ['a', 'Makefile', '```\na\n```'],
  ['a', '.env', '```\na\n```'],
  ['a', 'x.tar gz`', '```\na\n```'],
  ['a', undefined, '```\na\n```'],
  ['', 'empty.log', '```log\n\n```'],
  ['diff --git a/x b/x\n-1', 'change.txt', '```diff\ndiff --git a/x b/x\n-1\n```'],
  ['--- a\n+++ b\n', undefined, '```diff\n--- a\n+++ b\n```'],
  ['@@ -1 +1 @@\n-a\n+b', 'x.py', '```diff\n@@ -1 +1 @@\n-a\n+b\n```'],
  ['---\na: 1', 'x.yaml', '```yaml\n---\na: 1\n```'],
  ['say `a` and ```b```', 'x.txt', '````txt\nsay `a` and ```b```\n````'],
  ['`'.repeat(9), 'x.txt', `${'`'.repeat(10)}txt\n${'`'.repeat(9)}\n${'`'.repeat(10)}`],
  ['| a | b |\n|---|---|', 'table.md', '| a | b |\n|---|---|'],
])('%j of %s', (text, name, fenced) => {
  expect(fence(text, name && `folder/${name}`)).toBe(name ? `${name}\n\n${fenced}` : fenced);
});

test.each(Object.entries(exactTexts))('%s is in the fence to the character', (_, text) => {
  const [name, empty, first = '', ...lines] = fence(text, 'x.txt').split('\n');
  expect([name, empty]).toEqual(['x.txt', '']);
  const mark = /^`+/.exec(first)?.[0] ?? '';
  expect(lines.pop()).toBe(mark);
  expect(lines.join('\n')).toBe(text);
  // No line in it ends it.
  expect(lines.filter((line) => line.trim().startsWith(mark))).toEqual([]);
});

test('a megabyte of backticks is fenced', () => {
  expect(fence('` '.repeat(500_000))).toHaveLength(1_000_000 + 8);
});
