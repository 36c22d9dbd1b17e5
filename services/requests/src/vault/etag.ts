import { createHash } from 'node:crypto';

/** A strong validator of a vault's text. */
export const etagOf = (text: string): string => `"${createHash('sha256').update(text).digest('hex')}"`;
