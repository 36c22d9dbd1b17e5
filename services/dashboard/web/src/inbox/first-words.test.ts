import { expect, test } from '@jest/globals';
import { firstWords } from './first-words.ts';

test('is one line without the marks of Markdown', () => {
  const text = '# Lock\n\nThe `orders` table is **locked**.\n\n> since 9:00\n\n```sql\nSELECT 2 * 3\n```';
  expect(firstWords(text, 100)).toBe('Lock The orders table is locked. since 9:00 SELECT 2 * 3');
});

test('keeps characters that only look like Markdown', () => {
  const text = '2 ** 3 ** 4, a`b, #7 and x > y';
  expect(firstWords(text, 100)).toBe(text);
});

test('ends before a character that would be cut in half', () => {
  expect(firstWords(`1234${'\u{1F600}'}6`, 5)).toBe('1234…');
});

test('shows characters that would hide or reorder the rest', () => {
  expect(firstWords('run \u202ehs.xt\u200b now', 100)).toBe('run <U+202E>hs.xt<U+200B> now');
  expect(firstWords('\u200fשלום', 100)).toBe('\u200fשלום');
});
