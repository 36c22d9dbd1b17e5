import type { EventType } from '@expert-relay/contracts';
import { type Sql, sql } from '../postgres/sql.ts';

/**
 * The part of a statement that tells what the rest of it did: state and event are committed together.
 * It stands in a `WITH` beside the change and inserts one event for each row that `from` selects, whose
 * columns are `user_id`, `request_id`, `ref_code` and `seq`.
 *
 * `position` is drawn here, under the lock of the request's row: within a request it rises with `seq`.
 */
export function insertEvent(event: { type: EventType; payload: Uint8Array; from: Sql }): Sql {
  return sql`
    INSERT INTO outbox_events (position, type, payload, user_id, request_id, ref_code, seq)
    SELECT nextval('outbox_events_position_seq'), ${event.type}, ${event.payload},
      made.user_id, made.request_id, made.ref_code, made.seq
    FROM (${event.from}) AS made`;
}
