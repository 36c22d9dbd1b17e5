import { formatPosition, type Position } from './position.ts';

/*
 * Everything that a hub writes to a stream. A block is one event of the SSE format, as text. A chunk is a Buffer with one
 * or more blocks, in HTTP/1.1's chunked encoding, that can be written to any number of sockets.
 *
 * A plain `onmessage` handler of a browser gets the contract's events only: named events need a listener each, and a
 * block without `data:` only moves the subscriber's position.
 */

/** Why an open stream ends, as its last event says. */
export type StreamEndReason = 'lifetime' | 'stopping' | 'key_revoked' | 'signed_out';

/** Why a stream is not opened now, as its only event says. */
export type RefusalReason = 'stopping' | 'starting' | 'busy' | 'too_many_streams' | 'too_many_failures';

/** An event of the contract; without JSON, the block only moves the subscriber's position. */
export function eventBlock(position: Position, json: string | undefined): string {
  return `id: ${formatPosition(position)}\n${json === undefined ? '' : `data: ${json}\n`}\n`;
}

/** The first block: when to reconnect after the stream has ended, and the position at which it starts. */
export function openingChunk(retryMs: number, position: Position | undefined): Buffer {
  return toChunk(`retry: ${retryMs}\n${position ? positionLines(position) : ''}\n`);
}

/** With a position it also tells a subscriber where to resume, so it is sent outside of the beat too. */
export function heartbeatChunk(position: Position | undefined): Buffer {
  return toChunk(position ? `${positionLines(position)}\n` : ': \n\n');
}

/** The subscriber may have missed events, and must read the state again. The stream continues after this position. */
export function resetChunk(position: Position): Buffer {
  const id = formatPosition(position);
  return toChunk(`event: hub.reset\nid: ${id}\ndata: ${JSON.stringify({ id })}\n\n`);
}

export function endChunk(reason: StreamEndReason, retryMs: number): Buffer {
  return toChunk(endBlock(reason, retryMs));
}

/** The last block: why the stream ends, and when to reconnect. */
export function endBlock(reason: StreamEndReason | RefusalReason, retryMs: number): string {
  return `retry: ${retryMs}\nevent: hub.end\ndata: ${JSON.stringify({ reason })}\n\n`;
}

/** Some subscribers ignore blocks without data, so the position is in a comment too. */
function positionLines(position: Position): string {
  const id = formatPosition(position);
  return `: ${id}\nid: ${id}\n`;
}

const lineEnd = '\r\n';

export function toChunk(content: string | Buffer): Buffer {
  const length = `${Buffer.byteLength(content).toString(16)}${lineEnd}`;
  if (typeof content === 'string') return Buffer.from(`${length}${content}${lineEnd}`);
  return Buffer.concat([Buffer.from(length), content, Buffer.from(lineEnd)]);
}

/** The blocks of a chunk, for HTTP/1.0 subscribers. */
export function chunkContent(chunk: Buffer): Buffer {
  return chunk.subarray(chunk.indexOf(lineEnd) + lineEnd.length, -lineEnd.length);
}

/** Ends a chunked response. */
export const lastChunk = Buffer.from('0\r\n\r\n');

/** A random time between half and one and a half of `timeMs`, so that subscribers do not reconnect all at once. */
export const jitter = (timeMs: number): number => Math.round(timeMs * (0.5 + Math.random()));
