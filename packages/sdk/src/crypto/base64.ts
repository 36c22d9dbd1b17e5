import { type Bytes, toUtf8 } from './bytes.ts';

const digits = toUtf8('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const padding = 61;
const ascii = new TextDecoder();

/** `btoa` would take five times as long, since it needs the bytes as a string first. */
export function toBase64(bytes: Uint8Array): string {
  const { length } = bytes;
  const text = new Uint8Array(Math.ceil(length / 3) * 4);
  for (let from = 0, to = 0; from < length; from += 3) {
    const group = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
    for (let shift = 18; shift >= 0; shift -= 6, to += 1) text[to] = digits[(group >> shift) & 63] as number;
  }
  return ascii.decode(text.fill(padding, Math.ceil((length * 4) / 3)));
}

/** The bytes of the one canonical encoding (RFC 4648 section 4, padded); `undefined` for any other. */
export function fromBase64(text: string): Bytes | undefined {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  const { length } = binary;
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 1) bytes[at] = binary.charCodeAt(at);
  // atob accepts white space, missing padding, and unused bits in the last digit.
  const end = toBase64(bytes.subarray(-(length % 3 || 3)));
  return text.length === Math.ceil(length / 3) * 4 && text.endsWith(end) ? bytes : undefined;
}
