import { randomFillSync } from 'node:crypto';
import { Problem } from '@expert-relay/kit/problem';
import { sql } from '../postgres/query.ts';

/**
 * 128 random bits: a client needs only the id to poll a request, so it must not be guessable. One of 65,536 would begin as a
 * reference code does. It is drawn again, since clients distinguish the two by that and refuse such an id.
 */
export function makeRequestId(): string {
  const id = randomBytes(16).toString('base64url');
  return /^hs-/i.test(id) ? makeRequestId() : id;
}

/** The request id of a path. A malformed one gets the same response as one that does not exist. */
export function requestIdFrom(params: Readonly<Record<string, string>>): string {
  const id = params.requestId ?? '';
  if (!/^[A-Za-z0-9_-]{22}$/.test(id)) throw new Problem('not_found');
  return id;
}

/** Crockford's base32: without I, L, O and U, which are easily confused when a code is read aloud. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 8 characters, each of 5 random bits. */
export function makeRefCode(): string {
  let code = '';
  for (const byte of randomBytes(8)) code += alphabet[byte & 31];
  return code;
}

/** The code in the form for people. The tables of requests and events hold it without its prefix. */
export const refCodeColumn = sql`'HS-' || ref_code AS "refCode"`;

/** `hs-o1i1...` -> `0111...`: accepts lower case, and the letters that people write for 0 and 1. */
export function parseRefCode(text: string): string | undefined {
  const start = parseRefCodeStart(text);
  return start?.length === 8 ? start : undefined;
}

/** The same for the beginning of a code: at least four characters of it, or one behind `HS-`. Shorter words are rarely meant as a code. */
export function parseRefCodeStart(text: string): string | undefined {
  const upper = text.toUpperCase();
  const code = upper.replace(/^HS-/, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  if (!/^[0-9A-HJKMNP-TV-Z]{1,8}$/.test(code)) return undefined;
  return code.length >= 4 || upper.startsWith('HS-') ? code : undefined;
}

const pool = Buffer.alloc(4_096);
let used = pool.length;

/** Random bytes from a pool: to get 16 from the system costs as much as 4,096. */
function randomBytes(size: number): Buffer {
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += size;
  return Buffer.from(pool.subarray(used - size, used));
}
