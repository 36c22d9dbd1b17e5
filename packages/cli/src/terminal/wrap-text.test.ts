import { expect, test } from '@jest/globals';
import { textWidth } from './text-width.ts';
import { wrapText } from './wrap-text.ts';

test('breaks at spaces, keeps lines, indents and empty lines', () => {
  expect(wrapText('one two three\n\n  four five', 9)).toEqual(['one two', 'three', '', '  four', 'five']);
});

test('breaks a word that is longer than the line at its end', () => {
  expect(wrapText('see abcdefghij now', 4)).toEqual(['see', 'abcd', 'efgh', 'ij', 'now']);
});

test('never returns a line that is too wide, and loses no letter', () => {
  const text = '部署在等待锁 👨‍👩‍👧 deploy e\u0301tude '.repeat(5);
  for (let columns = 2; columns < 40; columns += 1) {
    const lines = wrapText(text, columns);
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
    expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
  }
});

test('wraps a megabyte without a space', () => {
  const text = 'a'.repeat(2 ** 20);
  const lines = wrapText(`${text} end`, 64);
  expect(lines).toHaveLength(2 ** 14 + 1);
  expect(lines.join('')).toBe(`${text}end`);
});

test.each([
  ['abc', 3],
  ['部署', 4],
  ['e\u0301', 1],
  ['👨‍👩‍👧', 2],
  ['', 0],
])('%s has a width of %i columns', (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});
