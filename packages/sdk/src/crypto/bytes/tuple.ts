import type { Bytes } from './bytes.ts';
import { toUtf8 } from './utf8.ts';

/** Each member behind its length, so that no two lists of members give the same bytes. */
export function tuple(...members: readonly (string | Uint8Array)[]): Bytes {
  const parts = members.map((member) => (typeof member === 'string' ? toUtf8(member) : member));
  const whole = new Uint8Array(parts.reduce((length, part) => length + 4 + part.length, 0));
  const view = new DataView(whole.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length);
    whole.set(part, at + 4);
    at += 4 + part.length;
  }
  return whole;
}
