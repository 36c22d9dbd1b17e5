import { randomBytes } from './random-bytes.ts';

/** Crockford's base32: no I, L, O or U, so that a code survives being read aloud. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 8 characters, each of 5 random bits. */
export function makeRefCode(): string {
  let code = '';
  for (const byte of randomBytes(8)) code += alphabet[byte & 31];
  return code;
}

export const formatRefCode = (code: string): string => `HS-${code}`;

/** `hs-o1i1...` -> `0111...`: any case, and the letters that people write for 0 and 1. */
export function parseRefCode(text: string): string | undefined {
  const code = text.toUpperCase().replace(/^HS-/, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return /^[0-9A-HJKMNP-TV-Z]{8}$/.test(code) ? code : undefined;
}
