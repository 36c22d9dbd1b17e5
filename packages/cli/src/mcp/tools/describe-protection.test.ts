import { describe, expect, test } from '@jest/globals';
import { describeProtection } from './sentences.ts';

const fingerprint = '04918 22734 00000 11111 22222 33333 44444 55555';

describe('how an answer is protected', () => {
  test.each([
    ['sequenced', 'known', 'verified', /know.*04918/],
    ['sequenced', 'first-contact', 'first_contact', /first time.*04918/],
    ['unsequenced', 'known', 'verified', /missing one would go unnoticed/],
    ['plaintext', 'known', 'plain_text', /relay could/],
  ] as const)('%s from %s is %s', (protection, verification, level, words) => {
    expect(describeProtection(protection, { verification, fingerprint })).toEqual({
      level,
      explanation: expect.stringMatching(words),
      fingerprint,
    });
  });

  test('an expert without proven keys is unverified', () => {
    for (const verification of ['none', 'unverified'] as const) {
      const described = describeProtection('sequenced', { verification, fingerprint: undefined });
      expect(described).toEqual({ level: 'unverified', explanation: expect.stringContaining('but') });
    }
  });
});
