import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tuple } from './bytes.ts';

test('each member is preceded by its length in four bytes', () => {
  expect(tuple('é', Uint8Array.of(7), '')).toEqual(
    Uint8Array.of(0, 0, 0, 2, 0xc3, 0xa9, 0, 0, 0, 1, 7, 0, 0, 0, 0),
  );
});

test('different members never give the same bytes', () => {
  const members = fc.array(fc.string({ unit: fc.constantFrom('\0', '\u0001', 'a'), maxLength: 6 }), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(members, members, (one, other) => {
      const same = Buffer.from(tuple(...one)).equals(tuple(...other));
      expect(same).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
    { numRuns: 1000 },
  );
});
