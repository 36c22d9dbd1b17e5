import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { HiddenText, parseMarkdown, TooMuchWork } from './parse-markdown.ts';

/** The longest text that is rendered. */
const length = 30_000;

const fill = (...units: string[]): string =>
  units
    .map((unit) => unit.repeat(Math.ceil(length / units.length / unit.length)))
    .join('')
    .slice(0, length);

const marks = [...'a *_`[]()!<>&\n|-', 'http://a'];

/** All texts that repeat one or two of the characters which have a meaning. */
const repeated = marks
  .flatMap((one) => [one, ...marks.map((other) => one + other)])
  .map((unit) => fill(unit));

/** Texts that are known to be expensive for parsers. */
const expensive = [
  fill('.*a'),
  fill('!['),
  fill('*a_ '),
  fill('*a ', 'a* '),
  fill('[', ']'),
  fill('[', '](b)'),
  fill('[a](b "'),
  fill('[a](', '('),
  fill('[a]: b\n'),
  fill('[a]: b "\n'),
  fill('[a\n'),
  `[a]: http://${'x'.repeat(length / 2)}\n\n${'[a]'.repeat(length / 6)}`,
  Array.from({ length: 240 }, (_, at) => '`'.repeat(at + 1)).join(' '),
  fill('> - '),
  fill(`${'>'.repeat(50)}a\n`, 'a\n'),
  `${'> '.repeat(40)}${fill('[a]: \n')}`.slice(0, length),
  Array.from({ length: 170 }, (_, at) => `${' '.repeat(at * 2)}- a`).join('\n'),
  `|${'a|'.repeat(100)}\n|${'-|'.repeat(100)}\n${'|\n'.repeat(10_000)}`,
  `|${'a|'.repeat(5_000)}\n|${'-|'.repeat(5_000)}\n${'a\n'.repeat(5_000)}`,
  `${fill('a\n')}=`,
  fill('a|\n-|\n'),
];

function parseOrRefuse(text: string): 'parsed' | 'refused' {
  try {
    parseMarkdown(text);
    return 'parsed';
  } catch (error) {
    if (error instanceof TooMuchWork) return 'refused';
    throw error;
  }
}

test('no text occupies the page: it is parsed, or refused after so many steps', () => {
  parseMarkdown('**Some** `code`, [a link](b) and\n\n- a list\n');
  for (const text of [...repeated, ...expensive]) {
    const { user: before } = process.cpuUsage();
    const outcome = parseOrRefuse(text);
    const milliseconds = (process.cpuUsage().user - before) / 1_000;
    // They take at most 0.1 s. Another parser took eight seconds for `.*a`, and one with quadratic time or worse takes seconds.
    if (milliseconds > 2_000)
      throw new Error(`${JSON.stringify(text.slice(0, 40))}: ${milliseconds} ms, ${outcome}`);
  }
});

test.each(readdirSync('docs').filter((name) => name.endsWith('.md')))('%s is not too much work', (name) => {
  expect(parseOrRefuse(readFileSync(`docs/${name}`, 'utf8').slice(0, length))).toBe('parsed');
});

test('a text with so many elements that a browser would be slow is refused', () => {
  expect(parseOrRefuse(fill('- a\n'))).toBe('refused');
  expect(parseOrRefuse(`|${'a|'.repeat(100)}\n|${'-|'.repeat(100)}\n${'|\n'.repeat(600)}`)).toBe('refused');
});

test.each([
  ['has more cells than its head', '| a |\n|---|\n| b | and drop prod |'],
  ['has more cells than its head, all of which are empty', '| a |\n|---|\n|  | and drop prod |'],
  ['has more cells in a quote', '> | a |\n> |---|\n> | b | and drop prod |'],
  ['has more cells in a list', '- | a |\n  |---|\n  | b | and drop prod |'],
])('a table of which a row %s is refused: they would not be shown', (_, text) => {
  expect(() => parseMarkdown(text)).toThrow(HiddenText);
});

test.each([
  '| a | b |\n|---|---|\n| c |\n| d | `e \\| f` |\n| \\\\ | \\| |\nno pipe\n| >g | 3 |',
  '> > - | a |\n> >   |---|\n> >   | b |',
])('all of a table is shown: %j', (text) => {
  expect(parseOrRefuse(text)).toBe('parsed');
});

test('a definition of a reference is a text', () => {
  const tokens = parseMarkdown('Well?\n\n[//]: # (and drop prod)');
  expect(tokens.map(({ content }) => content).join(' ')).toContain('and drop prod');
});

test.each([
  ['ls\rrm -rf /', 'ls␍rm -rf /'],
  ['```\nls\rrm -rf /\n```', 'ls␍rm -rf /\n'],
  ['ls\r\nrm', 'ls\nrm'],
  ['`a\0b`', '`a␀b`'],
])('%j is shown with its control characters', (text, shown) => {
  expect(parseMarkdown(text).map(({ content }) => content)).toContain(shown);
});

test.each([
  ['1. a\n3. b\n2. c', ['1.', '3.', '2.']],
  ['007) a\n8) b', ['007)', '8)']],
  ['- a', ['-']],
])('each item of the list %j has its own mark', (text, marks) => {
  const items = parseMarkdown(text).filter(({ type }) => type === 'list_item_open');
  expect(items.map(({ info, markup }) => info + markup)).toEqual(marks);
});

/** What is seen of a text: its words, and where its lines begin. */
function seenOf(text: string): string {
  let seen = '';
  for (const { type, meta, children } of parseMarkdown(text)) {
    seen += ' '.repeat(Number(meta?.indentation ?? 0));
    for (const child of children ?? []) seen += child.type.endsWith('break') ? '\n' : child.content;
    if (type === 'paragraph_close' || type === 'heading_close') seen += '\n';
  }
  return seen;
}

const containers = ['', '> ', '- ', '> - '];
const breaks = ['\n', ' \n', '   \n', '\\\n', '\\\\\n', '\r\n', '\\\r\n'];
const indents = ['', ' ', '   ', '     ', '\t', ' \t'];
const spans = ['', '**', '~~', '`'];

test.each(containers.flatMap((container) => breaks.map((end) => [container, end])))(
  'in %j, a line keeps its spaces after %j',
  (container, end) => {
    const inside = container.replace('-', ' ');
    for (const indent of indents) {
      for (const mark of spans) {
        const text = `${container}${mark}a:${end}${inside}${indent}b: 1${mark}`;
        const second = seenOf(text).split('\n')[1] ?? '';
        // Within a container the parser makes columns of a tab.
        const spaces = /^\s*/.exec(second)?.[0].replaceAll(/ *\t/g, '    ') ?? '';
        expect({ text, second, columns: spaces.length }).toEqual({
          ...{ text, second: expect.stringContaining('b: 1') },
          columns:
            container && indent.includes('\t') ? expect.any(Number) : indent.replace(/ *\t/, '    ').length,
        });
        expect(spaces.length > 0).toBe(indent !== '');
      }
    }
  },
);

test.each(['  a:\n---', '  a:\n    b\n==='])(
  'the heading %j keeps the spaces that it begins with',
  (text) => {
    expect(seenOf(text)).toBe(`${text.replace(/\n(---|===)/, '')}\n`);
  },
);
