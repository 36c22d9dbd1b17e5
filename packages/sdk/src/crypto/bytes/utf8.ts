import { invalidInput } from '../../relay-error.ts';
import type { Bytes } from './bytes.ts';

const encoder = new TextEncoder();
// Text comes out as it went in: a byte order mark is a character like any other.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const loneSurrogate = /\p{Surrogate}/u;

/** The encoder would replace half a character without a word, and the reader get another text. */
export function toUtf8(text: string): Bytes {
  if (loneSurrogate.test(text)) {
    throw invalidInput('The text has a lone surrogate. Repair it with toWellFormed().');
  }
  return encoder.encode(text);
}

/** `undefined` for what is no UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
