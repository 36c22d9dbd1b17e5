import { expect, test } from '@jest/globals';
import { makeSafe } from './make-safe.ts';

test.each([
  ['colour', '\u001b[31mred', '␛[31mred'],
  ['window title', '\u001b]0;owned\u0007', '␛]0;owned␇'],
  ['one-byte CSI', '\u009b2J', '<U+009B>2J'],
  ['backspaces over earlier text', 'no\b\byes', 'no␈␈yes'],
  ['carriage return over earlier text', 'rm -rf\rls', 'rm -rf␍ls'],
  ['delete', 'a\u007f', 'a␡'],
  ['right-to-left override', 'a\u202egnp.exe', 'a<U+202E>gnp.exe'],
  ['isolate', '\u2066x\u2069', '<U+2066>x<U+2069>'],
  ['line separator', 'a\u2028b', 'a<U+2028>b'],
  ['hidden tag letters', 'a\u{e0041}', 'a<U+E0041>'],
  ['lone surrogate', 'a\ud800', 'a<U+D800>'],
])('shows a %s for what it is', (_name, text, shown) => {
  expect(makeSafe(text)).toBe(shown);
});

test('keeps lines, all scripts and joined emoji', () => {
  const text = 'Grüße,\n\n  家族 👨‍👩‍👧 हिन्दी می‌خواهم';
  expect(makeSafe(text)).toBe(text);
  expect(makeSafe('a\r\n\tb')).toBe('a\n    b');
});
