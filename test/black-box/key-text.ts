import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC32 in 6 base62 digits, as the end of a key has it. */
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

/** A key of the right form that nobody has. */
export function unknownKey(prefix: 'hs_' | 'hs_prov_'): string {
  const start = prefix + [...randomBytes(32)].map((byte) => digits[byte % 62]).join('');
  return start + checksumOf(start);
}
