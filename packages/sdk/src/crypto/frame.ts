import { type Bytes, concat, fromUtf8, tuple } from './bytes.ts';
import { messageRefused, tooLarge } from './refusal.ts';

/** No UTF-8 text begins with this byte. */
const marker = 0xf8;
const linkLength = 32;
/** All shorter frames are padded to this length, which hides whether the answer was yes or no. */
const minLength = 256;
/** A call with a frame of this length stays below one mebibyte. */
const maxLength = 784_000;

/** The number of links that fit into one frame. */
export const maxLinks = 255;

export interface Frame {
  /** Hashes of the messages before this one; undefined when the sender's client does not use frames. */
  readonly links: readonly Bytes[] | undefined;
  readonly text: string;
}

/** @throws RelayError `message_too_large` */
export function writeFrame(links: readonly Uint8Array[], text: Uint8Array): Bytes {
  const content = concat(Uint8Array.of(marker, links.length), ...links, tuple(text));
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
  const [first = 0, count = 0] = bytes;
  if (first < marker) return { links: undefined, text: read(bytes) };
  if (first > marker) throw malformed('is of a later version');
  const start = 2 + count * linkLength;
  const content = bytes.subarray(start + 4);
  if (bytes.length < start + 4) throw malformed('is cut off');
  const length = new DataView(bytes.buffer, bytes.byteOffset + start).getUint32(0);
  if (content.length < length) throw malformed('is cut off');
  if (content.subarray(length).some(Boolean)) throw malformed('has bytes behind its text');
  const links = Array.from({ length: count }, (_, index) =>
    bytes.slice(2 + index * linkLength, 2 + (index + 1) * linkLength),
  );
  return { links, text: read(content.subarray(0, length)) };
}

function read(bytes: Uint8Array): string {
  const text = fromUtf8(bytes);
  if (text === undefined) throw malformed('is not UTF-8');
  return text;
}

const malformed = (why: string) =>
  messageRefused('malformed_frame', `A message ${why}.`, 'Bring both sides to the same version.');
