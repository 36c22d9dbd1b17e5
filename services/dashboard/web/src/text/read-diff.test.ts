import { isDiff } from '@expert-relay/sdk/internal';
import { exactTexts, longText } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { readDiff, splitDiffs } from './read-diff.ts';

const diff = exactTexts.diff ?? '';
const all = (text: string): string =>
  readDiff(text)
    .map(({ header, lines }) => header + lines.map((run) => run.text).join(''))
    .join('');

test('all of a text is in its files and lines', () => {
  for (const text of [...Object.values(exactTexts), longText(diff), '', '\n', '\n\n+a', '+'.repeat(9), 'a\n'])
    expect(all(text)).toBe(text);
});

test('lines are coloured by their first character, and those that only look like headers too', () => {
  const [file] = readDiff(diff);
  expect(file?.header).toBe('diff --git a/deploy.yaml b/deploy.yaml\n');
  expect(file?.lines.map(({ kind, text }) => [kind, text.slice(0, 15)])).toEqual([
    ['header', 'index 3f1c9a2..'],
    ['hunk', '@@ -1,6 +1,6 @@'],
    ['same', ' spec:\n'],
    ['removed', '-  replicas: 3\n'],
    ['added', '+  replicas: 0\n'],
    ['same', '   paths: ["/sr'],
    ['removed', '--- old comment'],
    ['added', '+++ new comment'],
    ['same', '   # unchanged\n'],
  ]);
});

test('each file has its header', () => {
  const plain = '--- a\n+++ b\n@@ -1 +1 @@\n-1\n+2\n';
  const headers = (text: string) => readDiff(text).map(({ header }) => header);
  expect(headers(plain + plain)).toEqual(['--- a\n', '--- a\n']);
  expect(headers(`${diff}\n${diff}`)).toHaveLength(2);
  expect(headers('@@ -1,3 +1,3 @@\n--- a\n+++ b\n@@ x')).toEqual(['']);
});

test('a line that would cover its file is not its header', () => {
  const header = (length: number) => `${'diff --git a/x b/x '.padEnd(length - 1, 'a')}\n`;
  expect(readDiff(`${header(120)}+a\n`)).toEqual([
    { header: header(120), lines: [{ kind: 'header', text: '+a\n' }] },
  ]);
  expect(readDiff(`${header(121)}+a\n`)).toEqual([
    { header: '', lines: [{ kind: 'header', text: `${header(121)}+a\n` }] },
  ]);
});

describe('a diff in a text', () => {
  test.each([
    [diff, [diff]],
    ['--- a\n+++ b', ['--- a\n+++ b']],
    ['@@ -1 +1 @@\n-a', ['@@ -1 +1 @@\n-a']],
    ['See:\n```diff\n-a\n+b\n```\nOK?', ['-a\n+b\n']],
    ['~~~patch x\n-a\n```\n~~~', ['-a\n```\n']],
    ['- See\n\n  ```diff\n  -a\n  ```', ['  -a\n']],
    ['````diff\n-a\n```\n````\n```diff\n+b', ['-a\n```\n', '+b']],
    ['---\nyaml: 1', []],
    ['```sh\n-a\n```', []],
  ])('of %j', (text, diffs) => {
    const parts = splitDiffs(text);
    expect(parts.map((part) => part.text).join('')).toBe(text);
    expect(parts.filter((part) => part.isDiff).map((part) => part.text)).toEqual(diffs);
  });

  test('in a list is coloured behind its indentation', () => {
    const [, part] = splitDiffs('- See\n\n  ```diff\n  -a\n  ```');
    expect(readDiff(part?.text ?? '', part?.indent)).toEqual([
      { header: '', lines: [{ kind: 'removed', text: '  -a\n' }] },
    ]);
  });
});

test('no text occupies the page', () => {
  for (const unit of [
    '+\n-\n',
    '\n',
    '--- \n+++ \n@@ \n',
    'diff \n',
    '```diff\n',
    '```diff\n```\n',
    '> ```diff\n',
    ' ',
    '>',
  ]) {
    const text = unit.repeat(1_000_000 / unit.length);
    const { user: before } = process.cpuUsage();
    expect(
      splitDiffs(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
    if (!isDiff(text)) expect(all(text)).toBe(text);
    // They take at most two seconds.
    if (process.cpuUsage().user - before > 20_000_000) throw new Error(JSON.stringify(unit));
  }
});
