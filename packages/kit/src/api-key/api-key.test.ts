import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { makeApiKey, parseApiKey } from './index.ts';

describe.each(['consumer', 'provider'] as const)('a %s key', (kind) => {
  const key = makeApiKey(kind);

  test('has its prefix, 32 random characters and a checksum', () => {
    expect(key.text).toMatch(kind === 'consumer' ? /^hs_[0-9A-Za-z]{38}$/ : /^hs_prov_[0-9A-Za-z]{38}$/);
    expect(key.text.endsWith(key.lastFour)).toBe(true);
  });

  test('is parsed to its kind and digest', () => {
    expect(parseApiKey(key.text)).toEqual({ kind, digest: createHash('sha256').update(key.text).digest() });
  });

  test('is refused with any one character changed', () => {
    for (let i = 0; i < key.text.length; i++) {
      const other = key.text[i] === 'x' ? 'y' : 'x';
      expect(parseApiKey(key.text.slice(0, i) + other + key.text.slice(i + 1))).toBeUndefined();
    }
  });
});

test('two keys differ', () => {
  expect(makeApiKey('consumer').text).not.toBe(makeApiKey('consumer').text);
});

test.each(['', 'hs_', 'hs_prov_', 'sk_live_123', `hs_${'a'.repeat(38)}`, `hs_${'a'.repeat(100_000)}`])(
  'other text is refused: %.20s',
  (text) => {
    expect(parseApiKey(text)).toBeUndefined();
  },
);
