import { type Bytes, concat } from '../bytes/bytes.ts';
import { fromUtf8 } from '../bytes/utf8.ts';
import { messageRefused } from '../refusal.ts';

/** No UTF-8 text begins with it. */
const marker = 0xf8;
const linkLength = 32;

/** As many links as one frame holds. */
export const mostLinks = 255;

export interface Frame {
  /** Hashes of the messages that this one comes after; undefined when a plain client wrote it. */
  readonly links: readonly Bytes[] | undefined;
  readonly text: string;
}

export function writeFrame(links: readonly Uint8Array[], text: Uint8Array): Bytes {
  return concat(Uint8Array.of(marker, links.length), ...links, text);
}

export function readFrame(bytes: Bytes): Frame {
  const [first = 0, count = 0] = bytes;
  if (first < marker) return { links: undefined, text: read(bytes) };
  const start = 2 + count * linkLength;
  if (first > marker) throw malformed('its frame is of a later version');
  if (bytes.length < start) throw malformed('its frame is cut off');
  const links = Array.from({ length: count }, (_, index) =>
    bytes.slice(2 + index * linkLength, 2 + (index + 1) * linkLength),
  );
  return { links, text: read(bytes.subarray(start)) };
}

function read(bytes: Uint8Array): string {
  const text = fromUtf8(bytes);
  if (text === undefined) throw malformed('its text is no UTF-8');
  return text;
}

const malformed = (why: string) =>
  messageRefused('malformed_frame', `A message opened, but ${why}.`, 'Bring both sides to the same version.');
