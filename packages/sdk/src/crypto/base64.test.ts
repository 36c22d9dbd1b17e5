import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fromBase64, toBase64 } from './base64.ts';

test('the encoding is the same as in Node, and is decoded to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      expect(fromBase64(toBase64(bytes))).toEqual(new Uint8Array(bytes));
    }),
  );
});

test('a megabyte is encoded and decoded', () => {
  const bytes = new Uint8Array(1_000_000).map((_, at) => at % 251);
  expect(Buffer.from(fromBase64(toBase64(bytes)) ?? []).equals(bytes)).toBe(true);
  expect(fromBase64('='.repeat(1_000_000))).toBeUndefined();
});

test('only the canonical encoding is decoded', () => {
  const nearly = fc.string({ unit: fc.constantFrom(...'AQZaz09+/=-_ \n'), maxLength: 12 });
  fc.assert(
    fc.property(nearly, (text) => {
      const canonical = Buffer.from(text, 'base64').toString('base64') === text;
      expect(fromBase64(text) === undefined).toBe(!canonical);
    }),
    { numRuns: 2000 },
  );
});
