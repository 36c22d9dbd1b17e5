import { appendTraceparent, type NewEvent } from '@expert-relay/contracts';
import { sampledTraceparent } from '@expert-relay/kit/tracing';
import { type Sql, sql } from '../postgres/query.ts';

/**
 * The part of a statement that records an event, so that state and event are committed together. It is put into a
 * `WITH` beside the change, and inserts one row into the outbox for each row that `from` selects, with the columns
 * `user_id`, `request_id`, `ref_code` and `seq`. The outbox leader publishes it: see outbox-publisher.ts.
 *
 * Rows are published in the order of their `position`. It is the default of its column, the next number of a sequence, and
 * is assigned under the lock of the request's row, so within a request it rises with `seq`.
 */
export function insertEvent(event: NewEvent & { from: Sql }): Sql {
  const payload = appendTraceparent(event.payload, sampledTraceparent());
  return sql`
    INSERT INTO outbox_events (type, payload, user_id, request_id, ref_code, seq)
    SELECT ${event.type}, ${payload}, about.user_id, about.request_id, about.ref_code, about.seq
    FROM (${event.from}) AS about`;
}
