import { expect, test } from '@jest/globals';
import { textOf } from './message-files.tsx';

test.each([
  ['\ufeffa: 1\n', '\ufeffa: 1\n'],
  ['a\r\nb', 'a\r\nb'],
  ['', undefined],
  ['a\0', undefined],
])('the file with %j is the text %j', (written, text) => {
  expect(textOf(new TextEncoder().encode(written))).toBe(text);
});

test('other bytes are no text', () => {
  expect(textOf(new Uint8Array([0xff]))).toBeUndefined();
});
