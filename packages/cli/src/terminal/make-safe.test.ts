import { expect, test } from '@jest/globals';
import { makeSafe } from './make-safe.ts';

test('shows what a terminal would obey or reorder', () => {
  expect(makeSafe('\u001b[31mrm\r\u202etxt.sh\u2067')).toBe('␛[31mrm␍<U+202E>txt.sh<U+2067>');
});

test('keeps lines, all scripts and joined emoji', () => {
  const text = 'Grüße,\n\n  家族 👨‍👩‍👧 हिन्दी می‌خواهم';
  expect(makeSafe(text)).toBe(text);
  expect(makeSafe('a\r\n\tb')).toBe('a\n    b');
});
