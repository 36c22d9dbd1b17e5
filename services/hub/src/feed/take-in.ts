import type { EventHead } from '@expert-relay/contracts';
import { topicsOf } from './copies.ts';
import { Entry } from './entry.ts';
import { checkOf, type Position } from './position.ts';
import { firstOf, readEvent } from './read-event.ts';
import type { SeenSequences } from './seen-sequences.ts';

/** What the stream holds at a place. An event that was seen before only keeps its place: it goes to no topic. */
export function takeIn(
  seen: SeenSequences,
  { epoch, seq }: Pick<Position, 'epoch' | 'seq'>,
  bytes: Uint8Array,
): { entry: Entry; event: EventHead | undefined; isNew: boolean } {
  const event = readEvent(bytes);
  const told = firstOf(event);
  const isNew = !told || seen.admit(told.requestId, told.seq);
  const at = { epoch, seq, check: checkOf(event?.eventId ?? '') };
  return { entry: new Entry(at, bytes, event && isNew ? topicsOf(event) : []), event, isNew };
}
