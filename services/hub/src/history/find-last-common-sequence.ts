import { parseEvent } from '../events/event-content.ts';
import { checkOf, noCheck, type Position } from '../events/position.ts';
import type { NatsStream, StoredStreamState } from '../nats/nats-stream.ts';
import type { Ring } from './ring.ts';

/**
 * The last sequence up to which the NATS stream still holds the events of the ring; undefined when it holds none of them.
 * The ring and the NATS stream are equal up to some sequence and differ after it, so a binary search finds it.
 */
export async function findLastCommonSequence(
  ring: Ring,
  natsStream: Pick<NatsStream, 'readOne'>,
  { firstSeq, lastSeq }: Pick<StoredStreamState, 'firstSeq' | 'lastSeq'>,
): Promise<number | undefined> {
  const isInStream = async ({ sequence, check }: Position): Promise<boolean> => {
    // An event that has expired in the NATS stream was not lost, and cannot be compared.
    if (sequence < firstSeq) return true;
    if (sequence > lastSeq) return false;
    const bytes = await natsStream.readOne(sequence);
    return bytes !== undefined && checkOf(parseEvent(bytes)?.eventId ?? '') === check;
  };

  // The hub has read no event after its start, so there is nothing to compare.
  if (ring.length === 0 && ring.floor.check === noCheck) {
    return ring.floor.sequence <= lastSeq ? ring.floor.sequence : undefined;
  }
  if (await isInStream(ring.current)) return ring.current.sequence;
  let equal = ring.floor.sequence;
  let different = ring.current.sequence;
  while (different - equal > 1) {
    const middle = Math.floor((equal + different) / 2);
    const entry = ring.at(middle);
    if (entry && (await isInStream(entry))) equal = middle;
    else different = middle;
  }
  if (equal > ring.floor.sequence) return equal;
  return ring.floor.check !== noCheck && (await isInStream(ring.floor)) ? equal : undefined;
}
