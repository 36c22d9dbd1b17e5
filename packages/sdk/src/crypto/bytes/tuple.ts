import { type Bytes, concat } from './bytes.ts';
import { toUtf8 } from './utf8.ts';

/** Each member behind its length, so that no two lists of members give the same bytes. */
export function tuple(...members: readonly (string | Uint8Array)[]): Bytes {
  const parts = members.map((member) => (typeof member === 'string' ? toUtf8(member) : member));
  return concat(...parts.flatMap((part) => [bigEndian(part.length), part]));
}

/** Four bytes; of each number only the last eight bits are kept. */
const bigEndian = (number: number) => Uint8Array.of(number >> 24, number >> 16, number >> 8, number);
