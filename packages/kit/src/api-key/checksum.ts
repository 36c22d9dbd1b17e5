import { crc32 } from 'node:zlib';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC32 as 6 base62 characters: tells a mistyped key from a wrong one without a query. */
export function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  for (let i = 0; i < 6; i++) {
    encoded = digits[rest % 62] + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}
