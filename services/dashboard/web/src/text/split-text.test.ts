import { expect, test } from '@jest/globals';
import { maxBlockLength, splitText } from './split-text.ts';

const line = `${'x'.repeat(99)}\n`;

test('a short text is one part', () => {
  for (const text of ['', 'a', 'x'.repeat(maxBlockLength)]) expect(splitText(text)).toEqual([text]);
});

test.each([
  ['lines', line.repeat(200), /\n$/],
  ['words', 'word '.repeat(4_000), / $/],
  ['one long line', 'x'.repeat(20_000), /x$/],
  ['characters of two units', '😀'.repeat(10_001), /[\udc00-\udfff]$/],
])('%s are split where the reader notices it least, and nothing is lost', (_name, text, end) => {
  const parts = splitText(text);
  expect(parts.join('')).toBe(text);
  expect(parts.length).toBeGreaterThan(3);
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(maxBlockLength);
    expect(part).toMatch(end);
  }
});
