import { appendTraceparent, type EventType, type NewEvent } from '@expert-relay/contracts';
import { sampledTraceparent } from '@expert-relay/kit/tracing';
import { empty, type Sql, sql } from '../postgres/query.ts';

/**
 * The parts of a statement that record an event, so that state and event are committed together. They are put into a
 * `WITH` behind the change, and insert one row into the outbox for each row that `from` selects, with the columns
 * `user_id`, `request_id`, `ref_code` and `seq`. The outbox leader publishes it: see outbox-publisher.ts. Their CTE `event` has the
 * `user_id` and `request_id` of each inserted row.
 *
 * Rows are published in the order of their `position`. It is the default of its column, the next number of a sequence, and
 * is assigned under the lock of the request's row, so within a request it rises with `seq`.
 */
export function eventParts(event: NewEvent & { from: Sql }): Sql {
  const payload = appendTraceparent(event.payload, sampledTraceparent());
  return sql`
    event AS (
      INSERT INTO outbox_events (type, payload, user_id, request_id, ref_code, seq)
      SELECT ${event.type}, ${payload}, about.user_id, about.request_id, about.ref_code, about.seq
      FROM (${event.from}) AS about
      RETURNING user_id, request_id
    )${notifies(event.type) ? insertFact(event) : empty}`;
}

/** The types of event that are facts for the notifier. */
export type FactType = Exclude<EventType, 'credential_revoked' | 'request_triaged'>;

const notifies = (type: EventType): type is FactType =>
  type !== 'credential_revoked' && type !== 'request_triaged';

/**
 * Inserts a row for the notifier, if the user has an enabled endpoint: `fact-reader.ts` of the notifier takes it. This statement sees an endpoint that was enabled before it
 * began. Whether the endpoint is notified of the event is decided when the row is taken.
 */
const insertFact = ({ type, messageId }: NewEvent): Sql => sql`,
    fact AS (
      INSERT INTO notification_facts (type, request_id, message_key)
      SELECT ${type}, request_id, ${messageId ?? null}::uuid FROM event
      WHERE EXISTS (
        SELECT FROM notification_endpoints AS endpoint
        WHERE endpoint.user_id = event.user_id AND endpoint.enabled_at IS NOT NULL)
    )`;
