import { expect, test } from '@jest/globals';
import { parseFingerprint } from './fingerprint.ts';

const spoken = '04918 22734 00001 99999 12345 67890 31415 92653';

test('a fingerprint has one spelling, however it was typed', () => {
  expect(parseFingerprint(spoken.replaceAll(' ', '-'))).toBe(spoken);
});

test('who has copied a part of it hears how much, and what to do', () => {
  expect(() => parseFingerprint(spoken.slice(0, -6))).toThrow(
    'A fingerprint has 40 digits, this one 35. Copy all of it.',
  );
});
