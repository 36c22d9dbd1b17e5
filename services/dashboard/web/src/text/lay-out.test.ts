import { readdirSync, readFileSync } from 'node:fs';
import { showHidden } from '@expert-relay/sdk/safe';
import { exactTexts, expensiveTexts, hostileTexts } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { shownBlocks } from '../testing/shown-text.tsx';
import type { Block } from './blocks.ts';
import { layOut } from './lay-out.ts';

/** The longest text that is laid out. */
const length = 30_000;

function blocksOf(text: string): readonly Block[] | undefined {
  const work = layOut(text);
  for (let next = work.next(); ; next = work.next()) if (next.done) return next.value;
}

/** Tables are drawn as lines: without pipes and the row of hyphens. */
const withoutLines = (text: string): string => text.replaceAll(/[|\s:-]/g, '');

/** Expects that a text is on the page character by character, with its white space, and apart from the lines of tables. */
function expectAll(text: string): void {
  const blocks = blocksOf(text);
  if (!blocks) throw new Error('It is shown as it was written.');
  const shown = shownBlocks(blocks);
  if (blocks.some(({ kind }) => kind === 'table')) expect(withoutLines(shown)).toBe(withoutLines(text));
  // In code and in addresses, more characters are named.
  else expect(showHidden(shown)).toBe(showHidden(text));
}

test('all of a random text is shown, in its order', () => {
  const marks = [
    ...' \n\t*_~`#>-+=|:!\\[]()<>&;.1aéשא',
    '\n\n',
    '**',
    '~~',
    '```',
    '~~~sh\n',
    '- ',
    '1. ',
    '007) ',
    '> ',
  ];
  const units = [
    '[a](',
    '](',
    'https://b.c',
    '<https://a.b>',
    '@c.d',
    '&amp;',
    '<b>',
    '<!-- ',
    '    ',
    '- [ ] ',
    '---',
    '\\\n',
  ];
  const tables = ['\n|-|-|\n', '| a | b |\n', '|:-:|', '\\|', '`|`'];
  const lines = fc.array(fc.constantFrom(...marks, ...units, ...tables, 'word'), { maxLength: 60 });
  fc.assert(
    fc.property(lines, (parts) => expectAll(parts.join(''))),
    { numRuns: 2_000 },
  );
});

const honest = Object.entries(exactTexts);
const hostile = hostileTexts.map((text) => [text.slice(0, 20), showHidden(text, { prose: true })] as const);

test.each([...honest, ...hostile])('all of %s is shown, in its order', (_name, text) => {
  expectAll(text);
  for (const place of ['> ', '- ', '1. ', '> - ', '    ']) {
    const inside = place.replace(/-|\d\./, (mark) => ' '.repeat(mark.length));
    expectAll(place + text.replaceAll('\n', `\n${inside}`));
  }
});

/** What of a text is seen in another way than by its characters. */
const looksOf = (text: string): readonly Block['kind'][] =>
  (blocksOf(text) ?? []).map(({ kind }) => kind).filter((kind) => kind !== 'blank');

test.each<[string, readonly Block['kind'][]]>([
  ['# a\n\nb\n- c\n---', ['heading', 'text', 'text', 'rule']],
  ['a\n---', ['text', 'rule']],
  ['```sh\nls\n```\n\n    pwd', ['code', 'code']],
  ['| a |\n|---|\n| b | c |', ['table']],
  ['> | a |\n> |---|', ['text']],
  ['<div>\n\n**a**', ['text', 'text']],
  [`${'a '.repeat(4_000)}`, ['text', 'text']],
])('%j is laid out as %j', (text, kinds) => {
  expect(looksOf(text)).toEqual(kinds);
});

test('a link has its address beside it, and other addresses are text', () => {
  const hrefs = (text: string) =>
    [...JSON.stringify(blocksOf(text)).matchAll(/"href":"([^"]*)"/g)].map(([, href]) => href);
  expect(hrefs('[a](https://b.example/?c=1 "d") ![e](http://f.example) <mailto:g@h.example>')).toEqual([
    'https://b.example/?c=1',
    'http://f.example/',
    'mailto:g@h.example',
  ]);
  expect(hrefs('https://a.example and [![b](https://c.example)](https://d.example)')).toEqual([
    'https://a.example/',
    'https://d.example/',
  ]);
  expect(hrefs('[a](javascript:b) [c](/d) www.e.example f@g.example [h] [i]: https://j.example')).toEqual([
    'https://j.example/',
  ]);
});

const fill = (...units: string[]): string =>
  units
    .map((unit) => unit.repeat(Math.ceil(length / units.length / unit.length)))
    .join('')
    .slice(0, length);

const marks = [...'a *_`[]()!<>&\n|-~\\ש', 'http://a'];

/** Texts that are known to be expensive for parsers, and all that repeat one or two of the characters which have a meaning. */
const expensive = [
  ...marks.flatMap((one) => [one, ...marks.map((other) => one + other)]).map((unit) => fill(unit)),
  ...[
    '.*a',
    '![',
    '*a_',
    '*a_ ',
    '*a **',
    '[a](',
    '[a](b "',
    '[a]: b\n',
    '[a]: b "\n',
    '[a\n',
    'a@b.c',
    '> ',
    '- ',
    '1. ',
    '> - ',
  ].map((unit) => fill(unit)),
  ...[
    fill('*a ', 'a* '),
    fill('[', ']'),
    fill('[', '](b)'),
    fill('[a](', '('),
    `${fill('a\n')}=`,
    fill('a|\n-|\n'),
  ],
  `[a]: http://${'x'.repeat(length / 2)}\n\n${'[a]'.repeat(length / 6)}`,
  Array.from({ length: 240 }, (_, at) => '`'.repeat(at + 1)).join(' '),
  Array.from({ length: 240 }, (_, at) => `${'>'.repeat(at)}a\n\n`).join(''),
  fill(`${'>'.repeat(50)}a\n`, 'a\n'),
  `${'> '.repeat(40)}${fill('[a]: \n')}`.slice(0, length),
  Array.from({ length: 170 }, (_, at) => `${' '.repeat(at * 2)}- a`).join('\n'),
  `|${'a|'.repeat(100)}\n|${'-|'.repeat(100)}\n${'|\n'.repeat(10_000)}`,
  `|${'a|'.repeat(5_000)}\n|${'-|'.repeat(5_000)}\n${'a\n'.repeat(5_000)}`,
  ...Object.values(expensiveTexts).map((text) => text.slice(0, length)),
];

test('no text occupies the page', () => {
  blocksOf('**Some** `code`, [a link](b) and\n\n- a list\n');
  for (const text of expensive) {
    const { user: before } = process.cpuUsage();
    blocksOf(text);
    const milliseconds = (process.cpuUsage().user - before) / 1_000;
    // They take at most 0.4 s. Without the limit of a block, the parser alone takes two.
    if (milliseconds > 3_000) throw new Error(`${JSON.stringify(text.slice(0, 40))}: ${milliseconds} ms`);
  }
});

test('a text with so many elements or levels that a browser would be slow is not laid out', () => {
  expect(blocksOf(fill('- a\n'))).toBeUndefined();
  expect(
    blocksOf(`|${'a|'.repeat(100)}\n|${'-|'.repeat(100)}\n${`|${'b|'.repeat(100)}\n`.repeat(45)}`),
  ).toBeUndefined();
  expect(blocksOf(`${'> '.repeat(20)}a`)).toBeUndefined();
  expect(blocksOf('-'.repeat(80))).toBeDefined();
});

test.each(readdirSync('docs').filter((name) => name.endsWith('.md')))('all of %s is shown', (name) => {
  expectAll(readFileSync(`docs/${name}`, 'utf8').slice(0, length).replaceAll('\u202e', ''));
});
