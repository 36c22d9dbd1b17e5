import { createHash } from 'node:crypto';
import type { Bytes } from '../../crypto/bytes.ts';

/** Bytes that look random and are the same in each run. */
export function seeded(name: string, length = 32): Bytes {
  return new Uint8Array(createHash('shake256', { outputLength: length }).update(name).digest());
}

/** A UUID of version 4 by the same means. */
export function seededId(name: string): string {
  const hex = Buffer.from(seeded(name, 16)).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const unhex = (text: string): Bytes => new Uint8Array(Buffer.from(text, 'hex'));
