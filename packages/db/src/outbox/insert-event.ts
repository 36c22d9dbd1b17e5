import { appendTraceparent, type NewEvent, aboutRequestTags as tags } from '@expert-relay/contracts';
import { sampledTraceparent } from '@expert-relay/kit/tracing';
import { raw, type Sql, sql } from '../postgres/query.ts';

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

/** An event about this number of requests has 20 KB, which a receiver decodes in a millisecond. */
const requestsPerEvent = 250;

/**
 * As `insertEvent`, for the same change of many requests: one event names up to 250 of the rows that `from` selects,
 * in their order. A sweep that ends a million requests would otherwise cost the outbox, NATS and
 * every receiver a million messages (docs/adr/0009-one-event-for-many-requests.md).
 */
export function insertSharedEvent(event: NewEvent & { from: Sql }): Sql {
  return sql`
    INSERT INTO outbox_events (type, payload)
    SELECT ${event.type}, ${event.payload}::bytea || entries
    FROM (
      SELECT string_agg(entry, '' ORDER BY number) AS entries
      FROM (
        SELECT row_number() OVER () - 1 AS number, ${requestEntry} AS entry FROM (${event.from}) AS about
      ) AS numbered
      GROUP BY number / ${raw(String(requestsPerEvent))} ORDER BY min(number)
    ) AS shared`;
}

const byte = (code: number) => `chr(${code})`;
/** A tag, the length of the text, and the text. */
const textField = (tag: number, length: string, text: string) => `${byte(tag)} || chr(${length}) || ${text}`;

const lengths = { user: '36', request: 'length(request_id)', refCode: '(length(ref_code) + 3)' };
/** Each of the three texts follows a tag and a length. The number takes three bytes after its tag. */
const entryLength = [...Object.values(lengths), 3 * 2 + 4].join(' + ');

/**
 * One of an event's `requests` in protobuf, encoded by Postgres from the columns `user_id`, `request_id`, `ref_code`
 * and `seq`. All texts are ASCII and together shorter than 128, so each length is one byte. The number is always a
 * varint of three bytes; a conversation is full long before two million.
 */
const requestEntry = raw(`
  convert_to(${[
    textField(tags.request, entryLength, textField(tags.userId, lengths.user, 'user_id::text')),
    textField(tags.requestId, lengths.request, 'request_id'),
    textField(tags.refCode, lengths.refCode, `'HS-' || ref_code`),
  ].join(' || ')}, 'UTF8') ||
  int4send((${tags.seq} << 24) | ((seq & 127 | 128) << 16) | ((seq >> 7 & 127 | 128) << 8) | (seq >> 14))`);
