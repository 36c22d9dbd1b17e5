import { invalidInput } from '../relay-error.ts';
import { type Bytes, concat, fromUtf8, readBytes, tuple } from './bytes.ts';
import { malformedFrame, tooLarge } from './refusal.ts';

/** No UTF-8 text begins with this byte. */
const marker = 0xf8;
const linkLength = 32;
/** All shorter frames are padded to this length, which hides how long a short answer is. */
const minLength = 1_024;
/** A call with a frame of this length stays below one mebibyte. */
const maxLength = 784_000;

/** The number of links that fit into one frame. */
export const maxLinks = 255;
const maxParts = 16;

/** What a message carries besides its text. A reader that does not know the kind says so. */
export interface Part {
  /** One byte. Several parts may be of one kind. */
  readonly kind: number;
  readonly body: Bytes;
}

export interface Frame {
  /** Hashes of the messages before this one; undefined when the sender's client does not use frames. */
  readonly links: readonly Bytes[] | undefined;
  readonly text: string;
  /** In the order of their kinds. */
  readonly parts: readonly Part[];
}

/** @throws RelayError `message_too_large`, `invalid_input` */
export function writeFrame(
  links: readonly Uint8Array[],
  text: Uint8Array,
  parts: readonly Part[] = [],
): Bytes {
  if (text.length === 0 && parts.length === 0) throw invalidInput('Give a text that is not empty.');
  if (parts.length > maxParts) throw invalidInput(`A message has at most ${maxParts} parts.`);
  const sorted = parts.toSorted((one, other) => one.kind - other.kind);
  const content = concat(
    Uint8Array.of(marker, links.length),
    ...links,
    tuple(text),
    Uint8Array.of(parts.length),
    ...sorted.flatMap(({ kind, body }) => [Uint8Array.of(kind), tuple(body)]),
  );
  const { length } = content;
  if (length > maxLength) throw tooLarge(text.length, maxLength - length + text.length);
  return concat(content, new Uint8Array(paddedLength(length) - length));
}

/** Padmé: of a length of n bits only the first log2(n) are kept, rounded up. Above `minLength` it adds less than 7 %. */
export function paddedLength(length: number): number {
  const bits = 31 - Math.clz32(length);
  const step = 2 ** (bits - 32 + Math.clz32(bits));
  return Math.min(maxLength, Math.max(minLength, Math.ceil(length / step) * step));
}

export function readFrame(bytes: Bytes): Frame {
  const [first = 0] = bytes;
  if (first < marker) return checked({ links: undefined, text: read(bytes), parts: [] });
  if (first > marker) throw malformedFrame('is of a later version');
  const { take, takeByte, takeSized, rest } = readBytes(bytes.subarray(1), () =>
    malformedFrame('is cut off'),
  );
  const links = Array.from({ length: takeByte() }, () => take(linkLength));
  const text = read(takeSized());
  const parts = Array.from({ length: takeByte() }, () => ({ kind: takeByte(), body: takeSized() }));
  const isUnordered = parts.some(({ kind }, index) => kind < (parts[index - 1]?.kind ?? 0));
  if (isUnordered || parts.length > maxParts) throw malformedFrame('has malformed parts');
  if (rest().some(Boolean)) throw malformedFrame('has bytes behind its end');
  return checked({ links, text, parts });
}

function checked(frame: Frame): Frame {
  if (frame.text === '' && frame.parts.length === 0) throw malformedFrame('is empty');
  return frame;
}

function read(bytes: Uint8Array): string {
  const text = fromUtf8(bytes);
  if (text === undefined) throw malformedFrame('is not UTF-8');
  return text;
}
