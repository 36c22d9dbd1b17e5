import type { EventType } from '@expert-relay/contracts';
import { Prisma } from '../generated/client.ts';
import { bulkPositions } from './bulk-positions.ts';

/**
 * The part of a statement that tells what the rest of it did: state and event are committed together.
 * It stands in a `WITH` beside the change and inserts one event for each row that `from` selects, whose
 * columns are `user_id`, `request_id`, `ref_code` and `seq`.
 *
 * `position` is drawn here, under the lock of the request's row: within a request it rises with `seq`. What
 * somebody waits for must not stand behind a million others. So events that are `bulk` get positions behind
 * all that are not: only for what is the last event of its request, which nothing may overtake.
 */
export function insertEvent(event: {
  type: EventType;
  payload: Uint8Array;
  from: Prisma.Sql;
  bulk?: boolean;
}): Prisma.Sql {
  const offset = Prisma.raw(String(event.bulk ? bulkPositions : 0));
  return Prisma.sql`
    INSERT INTO outbox_events (position, type, payload, user_id, request_id, ref_code, seq)
    SELECT ${offset} + nextval('outbox_events_position_seq'), ${event.type}, ${event.payload},
      made.user_id, made.request_id, made.ref_code, made.seq
    FROM (${event.from}) AS made`;
}
