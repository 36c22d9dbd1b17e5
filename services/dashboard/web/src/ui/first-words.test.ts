import { expect, test } from '@jest/globals';
import { firstWords } from './first-words.ts';

test('is one line without the marks of Markdown', () => {
  const text = '# Lock\n\nThe `orders` table is **locked**.\n\n> since 9:00\n\n```sql\nSELECT 2 * 3\n```';
  expect(firstWords(text, 100)).toBe('Lock The orders table is locked. since 9:00 SELECT 2 * 3');
});

test.each([
  ['- one\n- two\n* three', 'one two three'],
  ['- [x] done\n- [ ] open', 'done open'],
  ['see [the log](https://ci.example/1) and ![a chart](x.png)', 'see the log and a chart'],
  ['*now* or _never_, ~~later~~', 'now or never, later'],
  ['Title\n---\n***\ntext', 'Title text'],
  ['snake_case_name, 2 * 3 * 4, a [1] (b)', 'snake_case_name, 2 * 3 * 4, a [1] (b)'],
])('%j is shown as %j', (text, words) => {
  expect(firstWords(text, 100)).toBe(words);
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

test('no text occupies the page', () => {
  const marks = [...' \t\n|:-*_[]()!`~#>x', '[a](', '```', '- '];
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
