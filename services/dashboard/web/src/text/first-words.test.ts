import { exactTexts } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { firstWords } from './first-words.ts';

test.each(Object.entries(exactTexts))('shows %s as it was written, in one line', (_name, text) => {
  expect(firstWords(text, 1_000)).toBe(text.replaceAll(/\s+/g, ' '));
});

test.each([
  ['x'.repeat(240), 'x'.repeat(240)],
  ['x'.repeat(241), `${'x'.repeat(240)}…`],
  [`a${' '.repeat(400)}`, 'a'],
  [`a${' '.repeat(400)}b`, 'a…'],
  [`${'\n'.repeat(400)}b`, 'b'],
])('what is left out of %j is an ellipsis', (text, shown) => {
  expect(firstWords(text, 240)).toBe(shown);
});

test('ends before a character that would be cut in half', () => {
  expect(firstWords(`1234${'\u{1F600}'}6`, 5)).toBe('1234…');
});

test('shows characters that would hide or reorder the rest', () => {
  expect(firstWords('run \u202ehs.xt\u200b now', 100)).toBe('run <U+202E>hs.xt<U+200B> now');
  expect(firstWords('\u200fשלום', 100)).toBe('\u200fשלום');
});

test('no text occupies the page', () => {
  const marks = [...' \t\n|:-*_[]()!`~#>x\u200f\u0301'];
  for (const one of marks) {
    for (const other of marks) {
      const text = `${one.repeat(120)}${other.repeat(220)}`.slice(0, 339).concat('x');
      const { user: before } = process.cpuUsage();
      for (let time = 0; time < 100; time += 1) firstWords(text, 240);
      const milliseconds = (process.cpuUsage().user - before) / 1_000;
      // They take at most 20 ms.
      if (milliseconds > 1_000) throw new Error(`${JSON.stringify([one, other])}: ${milliseconds} ms`);
    }
  }
});
