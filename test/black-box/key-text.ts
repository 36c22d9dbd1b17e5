import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The checksum at the end of an API key: CRC32 as 6 base62 digits. */
export function checksumOf(text: string): string {
  let rest = crc32(text);
  return Array.from({ length: 6 }, () => {
    const digit = digits[rest % 62];
    rest = Math.floor(rest / 62);
    return digit;
  })
    .reverse()
    .join('');
}

/** A random key of the right form. */
export function unknownKey(prefix: 'hs_' | 'hs_prov_'): string {
  const start = prefix + [...randomBytes(32)].map((byte) => digits[byte % 62]).join('');
  return start + checksumOf(start);
}
