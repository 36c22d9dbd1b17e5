import { randomBytes } from 'node:crypto';
import type { Json } from '@expert-relay/testkit';

/** The encrypted part of a message as the relay lists it. */
export const blobOf = (message: Json): Json => message.encrypted as Json;

/** The same but for one bit. */
export const flip = (base64: unknown): string => {
  const bytes = Buffer.from(String(base64), 'base64');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString('base64');
};

export const noise = (length: number): string => randomBytes(length).toString('base64');
