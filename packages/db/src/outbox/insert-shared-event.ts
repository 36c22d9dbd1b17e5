import type { EventType } from '@expert-relay/contracts';
import { raw, type Sql, sql } from '../postgres/sql.ts';
import { placeBytes } from './place-bytes.ts';

/** 20 KB: what a receiver reads of it at a stretch takes less than a millisecond. */
const requestsAtOnce = 250;

/**
 * As `insertEvent`, for what happens to many requests in one moment: one event tells of up to 250 of the rows that
 * `from` selects, in their order. A sweep that ends a million requests would otherwise cost the outbox, NATS and
 * every receiver a million messages (docs/adr/0009-one-event-for-many-requests.md).
 */
export function insertSharedEvent(event: { type: EventType; payload: Uint8Array; from: Sql }): Sql {
  return sql`
    INSERT INTO outbox_events (position, type, payload)
    SELECT nextval('outbox_events_position_seq'), ${event.type}, ${event.payload}::bytea || places
    FROM (
      SELECT string_agg(place, '' ORDER BY number) AS places
      FROM (
        SELECT row_number() OVER () - 1 AS number, ${placeBytes} AS place FROM (${event.from}) AS made
      ) AS numbered
      GROUP BY number / ${raw(String(requestsAtOnce))} ORDER BY min(number)
    ) AS shared`;
}
