import { formatPosition, type Position } from '../feed/position.ts';
import type { TurnAwayReason } from '../turned-away.ts';
import { frame } from './frame.ts';

/** Why a stream ends, as its last event says. */
export type EndReason = 'lifetime' | 'stopping' | 'key_revoked' | 'signed_out';

/*
 * What the hub itself says on a stream. Plain `onmessage` readers see none of it: names other than `message`
 * are only heard by who listens for them, and a block without `data:` only moves a reader's position.
 */

/** The first block: how long to wait before reconnecting, and the place that this stream begins at. */
export function opening(retry: number, place: Position | undefined): Buffer {
  return frame(`retry: ${retry}\n${place ? placeLines(place) : ''}\n`);
}

/** Some readers drop blocks without data, so the place stands in a comment too. */
export function heartbeat(place: Position | undefined): Buffer {
  return frame(place ? `${placeLines(place)}\n` : ': \n\n');
}

/** Events may have been missed: read the state anew, the stream goes on from here. */
export function reset(place: Position): Buffer {
  const id = formatPosition(place);
  return frame(`event: hub.reset\nid: ${id}\ndata: ${JSON.stringify({ id })}\n\n`);
}

export function farewell(reason: EndReason, retry: number): Buffer {
  return frame(farewellText(reason, retry));
}

/** The last event of a stream: why it ends, and when to come again. */
export function farewellText(reason: EndReason | TurnAwayReason, retry: number): string {
  return `retry: ${retry}\nevent: hub.end\ndata: ${JSON.stringify({ reason })}\n\n`;
}

function placeLines(place: Position): string {
  const id = formatPosition(place);
  return `: ${id}\nid: ${id}\n`;
}
