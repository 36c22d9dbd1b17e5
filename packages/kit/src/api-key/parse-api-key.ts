import { checksum } from './checksum.ts';
import { digestOf, type KeyKind } from './make-api-key.ts';

const shape = /^hs_(prov_)?[0-9A-Za-z]{32}([0-9A-Za-z]{6})$/;

/** What a key claims to be; `undefined` when it is malformed or mistyped. Whether it exists, the database says. */
export function parseApiKey(text: string): { kind: KeyKind; digest: Buffer } | undefined {
  const match = shape.exec(text);
  if (!match || checksum(text.slice(0, -6)) !== match[2]) return undefined;
  return { kind: match[1] ? 'provider' : 'consumer', digest: digestOf(text) };
}
