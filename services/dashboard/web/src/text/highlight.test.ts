import { describe, expect, test } from '@jest/globals';
import { piecesOf } from './highlight.ts';

const textOf = (code: string, language: string): string | undefined =>
  piecesOf(code, language)
    ?.map(({ text }) => text)
    .join('');

test.each([
  ['bash', 'rm -rf "$HOME" # all of it', { comment: '# all of it', string: '"$HOME"' }],
  ['ts', 'const port: number = 8080;', { keyword: 'const', number: '8080' }],
  ['py', "def stop(): return 'now'", { keyword: 'def', name: 'stop', string: "'now'" }],
  ['json', '{ "port": 8080 }', { name: '"port"', number: '8080' }],
])('code in %s has kinds', (language, code, expected) => {
  const pieces = piecesOf(code, language) ?? [];
  for (const [kind, text] of Object.entries(expected)) expect(pieces).toContainEqual({ kind, text });
  expect(textOf(code, language)).toBe(code);
});

test('other languages, long code and long lines stay plain', () => {
  expect(piecesOf('a', 'brainfuck')).toBeUndefined();
  expect(piecesOf('a', 'constructor')).toBeUndefined();
  expect(piecesOf('a\n'.repeat(5_001), 'bash')).toBeUndefined();
  expect(piecesOf('a'.repeat(401), 'bash')).toBeUndefined();
});

describe('no code occupies the page', () => {
  const marks = [...'aA0_ \n"\'`\\/#-+@$', ...'{}()[]<>=:;,.|&!?^%*'];
  const words = [
    '/*',
    '//',
    '--',
    '${',
    '$(',
    '</',
    '<a',
    '<<A',
    '"""',
    'r#"',
    'def ',
    'class ',
    'a=',
    '`${',
    '{"a":',
  ];
  const units = [...marks, ...words].flatMap((one) => ['', ' ', '\n'].map((other) => one + other));
  const fill = (unit: string): string => `${unit.repeat(400).slice(0, 399)}\n`.repeat(8);

  test.each([
    ...['bash', 'css', 'dockerfile', 'go', 'java', 'js'],
    ...['json', 'py', 'rust', 'sql', 'ts', 'xml', 'yaml'],
  ])('%s', (language) => {
    for (const unit of units) {
      const code = fill(unit);
      const { user: before } = process.cpuUsage();
      expect(textOf(code, language)).toBe(code);
      const milliseconds = (process.cpuUsage().user - before) / 1_000;
      // They take some 10 ms. A line of 10,000 characters takes seconds.
      if (milliseconds > 2_000) throw new Error(`${JSON.stringify(unit)}: ${milliseconds} ms`);
    }
  });
});
