import { expect, test } from '@jest/globals';
import { marksIn, withNames } from './marks.ts';

/** Tabs are shown as ⇥, spaces at the end of a line as ·, and other marked characters by their name. */
const marked = (text: string): string => {
  const marks = [...marksIn(text)];
  const shown = marks.map(({ from, to, kind }, index) => {
    const part = text.slice(from, to);
    const before = text.slice(marks[index - 1]?.to ?? 0, from);
    return `${before}${kind === 'named' ? withNames(`x${part}x`).slice(1 + part.length, -1) : part.replaceAll('\t', '⇥').replaceAll(' ', '·')}`;
  });
  return shown.join('') + text.slice(marks.at(-1)?.to ?? 0);
};

test.each([
  ['a no-break space', 'rm\u00a0-rf /', 'rm<U+00A0>-rf /'],
  ['other spaces', 'a\u2003b\u202fc\u205fd', 'a<U+2003>b<U+202F>c<U+205F>d'],
  ['tabs', 'a:\n\tb\t\tc', 'a:\n⇥b⇥⇥c'],
  ['spaces at the end of a line', 'a  b \\ \n c\t \n  \nd ', 'a  b \\·\n c⇥·\n··\nd·'],
  ['a wide space beside other letters', 'rm\u3000-rf', 'rm<U+3000>-rf'],
  ['Cyrillic letters in a Latin word', 'kub\u0435ctl \u0440rod_1', 'kub<U+0435>ctl <U+0440>rod_1'],
  ['a Greek letter in a Latin word', 'r\u03bfot', 'r<U+03BF>ot'],
  ['one with an accent', 'r\u043e\u0301ot', 'r<U+043E>ot'],
])('marks %s', (_name, text, shown) => {
  expect(marked(text)).toBe(shown);
});

test.each([
  'Удалить файл /etc/passwd на сервере prod-3? Да, IT-отдел и SQL-запрос.',
  'Διαγραφή του αρχείου; 10 μs, Δt, λx',
  '　削除　しますか？　ファイル：/tmp/a',
  'اردو هذا ملف שלום',
  'Grüße,\n\n  - façade  naïve\n    x',
])('marks nothing in %j', (text) => {
  expect([...marksIn(text)]).toEqual([]);
});

test('where there are no elements, the name stands behind the character', () => {
  expect(withNames('a\u00a0b\tc\u0435 ')).toBe('a\u00a0<U+00A0>b\tc\u0435<U+0435> ');
});

test.each([' ', '\t', ' \t', ' \tx', '\u3000', '\u00a0', 'a\u0430', 'a\u0301', '\u0430 '])(
  'many times %j take little time',
  (unit) => {
    const { user: before } = process.cpuUsage();
    let count = 0;
    for (const _ of marksIn(unit.repeat(1_000_000 / unit.length))) count += 1;
    expect(count).toBeLessThanOrEqual(1_000_000);
    // It takes about a second.
    if (process.cpuUsage().user - before > 10_000_000) throw new Error('It occupies the page.');
  },
);
