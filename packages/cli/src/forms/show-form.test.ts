import type { Content, Field, Form } from '@expert-relay/sdk/forms';
import { describe, expect, test } from '@jest/globals';
import { createScreen } from '../terminal/screen.ts';
import { showContent, showForm } from './show-form.ts';

/* What --approve sends, and what "Send it?" is about, is what was printed. */

/** What is printed, without the space at the ends of its lines. */
function printed(isTTY: boolean, print: (screen: ReturnType<typeof createScreen>) => void): string[] {
  const written: string[] = [];
  const stream = { isTTY, columns: 100, write: (text: string) => written.push(text) };
  print(createScreen(stream, { colours: false }));
  return written
    .join('')
    .split('\n')
    .map((line) => line.trimEnd());
}

const oneOf = ['x, y', 'x', 'y', '"x'];
const list = { type: 'array', items: { type: 'string', enum: oneOf } } as const;
const spaced = { type: 'string', enum: ['a  b\u2003', 'a b'] } as const;
const titled = {
  type: 'string',
  oneOf: [
    { const: 'drop', title: 'Drop it' },
    { const: 'a b', title: 'a\nb' },
  ],
} as const;

const values: readonly (readonly [string, Field, Content[string], asDefault: string, inAnswer?: string])[] = [
  ['a text', { type: 'string' }, 'ls', 'ls'],
  ['spaces', { type: 'string' }, 'a  b', 'a  b'],
  ['a space at its end', { type: 'string' }, 'a b ', '"a b "'],
  ['a space that does not break', { type: 'string' }, 'a\u00a0b', '"a\\u00a0b"'],
  ['a tab', { type: 'string' }, 'a\tb', '"a\\tb"'],
  ['quotation marks', { type: 'string' }, '"a b "', '"\\"a b \\""'],
  ['a space at the end of a line', { type: 'string' }, 'ls \nrm', '| "ls "\n| rm'],
  ['two lines', { type: 'string', maxLength: 80 }, 'ls\nrm -rf ~', '| ls\n| rm -rf ~'],
  ['a line at the end', { type: 'string' }, 'ls\n', '| ls\n|'],
  ['a line that looks like a field', { type: 'string' }, 'ls\n- sure: no', '| ls\n| - sure: no'],
  ['a sign for a line break', { type: 'string' }, 'ls␊rm', 'ls␊rm'],
  ['a long line', { type: 'string', format: 'uri' }, `x:${'y'.repeat(60)}`, `x:${'y'.repeat(60)}`],
  [
    'a time with a fraction',
    { type: 'string', format: 'date-time' },
    '2026-11-26T10:00:00.5+01:00',
    '2026-11-26T10:00:00.5+01:00',
  ],
  ['a number', { type: 'number' }, 1e21, '1e+21'],
  ['an integer', { type: 'integer' }, -3, '-3'],
  ['yes', { type: 'boolean' }, true, 'yes'],
  ['no', { type: 'boolean' }, false, 'no'],
  ['an option', titled, 'drop', 'drop', 'Drop it ("drop")'],
  ['an option whose title has a line break', titled, 'a b', 'a b', 'a␊b ("a b")'],
  ['no options', list, [], 'none'],
  ['two options', list, ['x', 'y'], 'x, y'],
  ['one option with a comma', list, ['x, y'], '"x, y"'],
  ['an option with spaces', spaced, 'a  b\u2003', '"a  b\\u2003"'],
  ['one with a quotation mark', list, ['"x', 'y'], '"\\"x", y'],
];

describe.each([
  ['in a terminal', true],
  ['in a pipe', false],
])('%s', (_, isTerminal) => {
  test.each(values)('%s is shown as it is', (_name, field, value, asDefault, inAnswer = asDefault) => {
    const form = { type: 'object', properties: { v: { ...field, default: value } } } as Form;
    const lines = (label: string, text: string, indent: string) =>
      text.startsWith('| ')
        ? [`${indent}${label}:`, ...text.split('\n').map((line) => `${indent}  ${line}`)]
        : [`${indent}${label}: ${text}`];
    expect(printed(isTerminal, (screen) => showForm(screen, form))).toEqual(
      expect.arrayContaining(lines('default', asDefault, '    ')),
    );
    expect(printed(isTerminal, (screen) => showContent(screen, form, { v: value }))).toEqual([
      ...lines('- v', inAnswer, '  '),
      '',
    ]);
  });

  test('no two values of the table look alike', () => {
    const shown = values.map(([, field, value]) =>
      printed(isTerminal, (screen) =>
        showForm(screen, { type: 'object', properties: { v: { ...field, default: value } } } as Form),
      ).join('\n'),
    );
    expect(new Set(shown).size).toBe(values.length);
  });

  test('titles, descriptions and options begin no line of their own', () => {
    const field: Field = {
      type: 'string',
      title: 'a\nb: c',
      description: 'd\ndefault: e',
      oneOf: [
        { const: 'f\n- g', title: 'h\n- i' },
        { const: 'f', title: 'j' },
      ],
    };
    const form: Form = { type: 'object', properties: { v: field } };
    expect(printed(isTerminal, (screen) => showForm(screen, form))).toEqual([
      '  v: a␊b: c (optional, one of these)',
      '    d␊default: e',
      '    - f␊- g  h␊- i',
      '    - f  j',
      '',
    ]);
  });

  test('hidden characters of a value are visible in a terminal', () => {
    const form: Form = { type: 'object', properties: { v: { type: 'string', default: 'a\rb\u202ec' } } };
    expect(printed(isTerminal, (screen) => showForm(screen, form))).toContain(
      isTerminal ? '    default: a␍b<U+202E>c' : '    default: a\rb\u202ec',
    );
  });
});
