import { describe, expect, test } from '@jest/globals';
import { describeTrust } from './protection-words.ts';

const fingerprint = '04918 22734 00000 11111 22222 33333 44444 55555';

describe('how an answer is protected', () => {
  test.each([
    ['sequenced', 'known', /from the expert you know \(04918/],
    ['sequenced', 'first-contact', /first time.*04918/],
    ['unsequenced', 'known', /missing one would go unnoticed/],
    ['plaintext', 'known', /^Plain text: the relay could/],
  ] as const)('%s from %s', (protection, verification, words) => {
    expect(describeTrust(protection, { verification, fingerprint })).toMatch(words);
  });

  test('an expert without proven keys is named as such', () => {
    for (const verification of ['none', 'unverified'] as const)
      expect(describeTrust('sequenced', { verification, fingerprint: undefined })).toContain('but ');
  });
});
