import { checkOf, noCheck, type Position } from '../feed/position.ts';
import { readEvent } from '../feed/read-event.ts';
import type { Ring } from '../feed/ring.ts';
import type { StreamSource, StreamState } from './stream-source.ts';

/**
 * The last sequence up to which the stream still holds what we have delivered from it; undefined when that lies
 * before everything that we remember.
 */
export async function findCommonEnd(
  ring: Ring,
  source: StreamSource,
  { firstSeq, lastSeq }: StreamState,
): Promise<number | undefined> {
  const isSame = async ({ seq, check }: Position): Promise<boolean> => {
    // What has aged out of the stream cannot be compared, and was not what got lost.
    if (seq < firstSeq) return true;
    if (seq > lastSeq) return false;
    const bytes = await source.event(seq);
    return bytes !== undefined && checkOf(readEvent(bytes)?.eventId ?? '') === check;
  };

  if (ring.length === 0 && ring.floor.check === noCheck) {
    return ring.floor.seq <= lastSeq ? ring.floor.seq : undefined;
  }
  if (await isSame(ring.current)) return ring.current.seq;
  // Up to some place all are the same and from there on none is: found by halving.
  let same = ring.floor.seq;
  let other = ring.current.seq;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    const entry = ring.at(middle);
    if (entry && (await isSame(entry))) same = middle;
    else other = middle;
  }
  if (same > ring.floor.seq) return same;
  return ring.floor.check !== noCheck && (await isSame(ring.floor)) ? same : undefined;
}
