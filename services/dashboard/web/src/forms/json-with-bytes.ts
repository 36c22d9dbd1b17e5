import { fromBase64, toBase64 } from '@expert-relay/sdk/internal';

/** JSON has no bytes: those of files are written in base64. */
export const writeJson = (value: unknown): string =>
  JSON.stringify(value, (_, value) => (value instanceof Uint8Array ? { base64: toBase64(value) } : value));

export const readJson = <T>(json: string): T =>
  JSON.parse(json, (name, value) => (name === 'bytes' ? fromBase64(value.base64) : value));
