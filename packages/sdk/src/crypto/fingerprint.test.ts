import { expect, test } from '@jest/globals';
import { parseFingerprint } from './fingerprint.ts';

const fingerprint = '04918 22734 00001 99999 12345 67890 31415 92653';

test('a fingerprint has one canonical form', () => {
  expect(parseFingerprint(fingerprint.replaceAll(' ', '-'))).toBe(fingerprint);
});

test('the error for a part of a fingerprint states its length and what to do', () => {
  expect(() => parseFingerprint(fingerprint.slice(0, -6))).toThrow(
    'A fingerprint has 40 digits, this one 35. Copy all of it.',
  );
});
