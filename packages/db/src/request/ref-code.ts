import { randomBytes } from 'node:crypto';

/** Crockford's base32: no I, L, O or U, so that a code survives being read aloud. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 40 random bits as 8 characters. */
export function makeRefCode(): string {
  let bits = BigInt(`0x${randomBytes(5).toString('hex')}`);
  let code = '';
  for (let i = 0; i < 8; i++) {
    code = alphabet[Number(bits & 31n)] + code;
    bits >>= 5n;
  }
  return code;
}

export const formatRefCode = (code: string): string => `HS-${code}`;

/** `hs-o1i1...` -> `0111...`: any case, and the letters that people write for 0 and 1. */
export function parseRefCode(text: string): string | undefined {
  const code = text.toUpperCase().replace(/^HS-/, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return /^[0-9A-HJKMNP-TV-Z]{8}$/.test(code) ? code : undefined;
}
