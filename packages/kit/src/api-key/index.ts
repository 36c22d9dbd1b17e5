import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type KeyKind = 'consumer' | 'provider';

export const keyPrefixes = { consumer: 'hs_', provider: 'hs_prov_' } as const satisfies Record<
  KeyKind,
  string
>;

export interface ApiKey {
  /** The whole key, which is shown to its owner once and never stored. */
  text: string;
  digest: Buffer;
  lastFour: string;
}

/** A key as a client has sent it. */
export interface ParsedApiKey {
  readonly kind: KeyKind;
  readonly digest: Buffer;
}

export function makeApiKey(kind: KeyKind): ApiKey {
  const start = keyPrefixes[kind] + randomBase62(32);
  const text = start + checksum(start);
  return { text, digest: digestOf(text), lastFour: text.slice(-4) };
}

/** A fast hash is enough: a key has 190 random bits and cannot be guessed. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

function randomBase62(length: number): string {
  let result = '';
  while (result.length < length) {
    // 248 is the largest multiple of 62 in a byte. With larger values, some characters would be more likely.
    for (const byte of randomBytes(length)) {
      if (byte < 248 && result.length < length) result += digits[byte % 62];
    }
  }
  return result;
}

const shape = /^hs_(prov_)?[0-9A-Za-z]{32}([0-9A-Za-z]{6})$/;

/** The kind and digest of a key; `undefined` when it is malformed or mistyped. Only the database shows whether it exists. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const match = shape.exec(text);
  if (!match || checksum(text.slice(0, -6)) !== match[2]) return undefined;
  return { kind: match[1] ? 'provider' : 'consumer', digest: digestOf(text) };
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC32 as 6 base62 characters, by which a mistyped key is refused without a query. */
function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  for (let i = 0; i < 6; i++) {
    encoded = digits[rest % 62] + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}
