import { createHash, randomBytes } from 'node:crypto';
import { checksum } from './checksum.ts';

export type KeyKind = 'consumer' | 'provider';

export const keyPrefixes = { consumer: 'hs_', provider: 'hs_prov_' } as const satisfies Record<
  KeyKind,
  string
>;

export interface ApiKey {
  /** The whole key: shown to its owner once, stored nowhere. */
  text: string;
  digest: Buffer;
  lastFour: string;
}

export function makeApiKey(kind: KeyKind): ApiKey {
  const start = keyPrefixes[kind] + randomBase62(32);
  const text = start + checksum(start);
  return { text, digest: digestOf(text), lastFour: text.slice(-4) };
}

/** A fast hash is right here: a key has 190 random bits, there is nothing to guess. */
export const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function randomBase62(length: number): string {
  let result = '';
  while (result.length < length) {
    // 248 is the largest multiple of 62 in a byte: above it, characters would not be equally likely.
    for (const byte of randomBytes(length)) {
      if (byte < 248 && result.length < length) result += alphabet[byte % 62];
    }
  }
  return result;
}
