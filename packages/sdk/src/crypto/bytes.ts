import { invalidInput } from '../relay-error.ts';

/** Bytes as WebCrypto accepts them: not shared between threads. Older compilers understand this form, too. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>['encode']>;

export function concat(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Only for public data: its duration depends on the position of the first difference. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

const encoder = new TextEncoder();
// A byte order mark is kept like any other character.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const loneSurrogate = /\p{Surrogate}/u;

/** Refuses lone surrogates: the encoder would silently replace them, and the reader would get another text. */
export function toUtf8(text: string): Bytes {
  if (loneSurrogate.test(text)) {
    throw invalidInput('The text has a lone surrogate. Repair it with toWellFormed().');
  }
  return encoder.encode(text);
}

/** Undefined when the bytes are not UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Each member is preceded by its length, so that different lists of members never give the same bytes. */
export function tuple(...members: readonly (string | Uint8Array)[]): Bytes {
  const parts = members.map((member) => (typeof member === 'string' ? toUtf8(member) : member));
  return concat(...parts.flatMap((part) => [bigEndian(part.length), part]));
}

/** Reads what `tuple` and its like wrote, from the front. */
export interface ByteReader {
  take(length: number): Bytes;
  takeByte(): number;
  /** A member of a `tuple`. */
  takeSized(): Bytes;
  /** All that was not read yet. */
  rest(): Bytes;
}

/** Throws `cutOff()` where there are fewer bytes than are to be read. */
export function readBytes(bytes: Bytes, cutOff: () => Error): ByteReader {
  let at = 0;
  function take(length: number): Bytes {
    at += length;
    if (at > bytes.length) throw cutOff();
    return bytes.slice(at - length, at);
  }
  return {
    take,
    takeByte: () => take(1)[0] as number,
    takeSized: () => take(new DataView(take(4).buffer).getUint32(0)),
    rest: () => bytes.slice(at),
  };
}

/** Four bytes. `Uint8Array.of` keeps the last eight bits of each number. */
const bigEndian = (number: number) => Uint8Array.of(number >> 24, number >> 16, number >> 8, number);

export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}
