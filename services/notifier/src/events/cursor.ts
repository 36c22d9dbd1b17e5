import { type Query, type Sql, sql } from '@expert-relay/db';
import { insertDeliveries } from '../deliveries/insert-deliveries.ts';
import { isUsable } from '../deliveries/recipients.ts';
import type { ReadEvent } from './facts.ts';

/** The last event whose deliveries were inserted. */
export interface Cursor {
  readonly epoch: string;
  readonly seq: number;
  readonly eventId: string;
  /** In milliseconds. */
  readonly recordedAt: number;
}

/** What the holder of the cursor knows. */
export interface HeldCursor {
  /** Absent before the first event. */
  readonly cursor: Cursor | undefined;
  /** When the first of the enabled endpoints was enabled, in milliseconds. */
  readonly enabledSince: number;
}

const inMs = (column: Sql): Sql => sql`(extract(epoch FROM ${column}) * 1000)::float8`;
const timeOf = (ms: number): Sql => sql`to_timestamp(${ms / 1_000}::float8)`;

interface HeldRow {
  epoch: string | null;
  seq: number | null;
  eventId: string | null;
  recordedAt: number | null;
  enabledSince: number;
}

/**
 * Takes or keeps the cursor for this process, for ten seconds. Returns undefined while another process holds it, or when no
 * endpoint is enabled and may be used: then there is no cursor.
 */
export async function holdCursor(query: Query, holder: string): Promise<HeldCursor | undefined> {
  const [row] = await query<HeldRow>`
    WITH enabled AS MATERIALIZED (
      SELECT min(enabled_at) AS since FROM notification_endpoints AS endpoint WHERE ${isUsable}
    ),
    removed AS (
      DELETE FROM notification_cursor
      WHERE (SELECT since FROM enabled) IS NULL AND (holder = ${holder}::uuid OR held_until < now())
    ),
    held AS (
      INSERT INTO notification_cursor AS cursor (id, holder, held_until)
      SELECT 1, ${holder}::uuid, now() + interval '10 seconds' FROM enabled WHERE since IS NOT NULL
      ON CONFLICT (id) DO UPDATE SET holder = EXCLUDED.holder, held_until = EXCLUDED.held_until
      WHERE cursor.holder = EXCLUDED.holder OR cursor.held_until < now()
      RETURNING *
    )
    SELECT epoch, seq::float8 AS seq, event_id AS "eventId", ${inMs(sql`recorded_at`)} AS "recordedAt",
      ${inMs(sql`since`)} AS "enabledSince"
    FROM held, enabled`;
  if (!row) return undefined;
  const { epoch, seq, eventId, recordedAt, enabledSince } = row;
  const isSet = epoch !== null && seq !== null && eventId !== null && recordedAt !== null;
  return { cursor: isSet ? { epoch, seq, eventId, recordedAt } : undefined, enabledSince };
}

/** Lets another process take the cursor at once. */
export async function releaseCursor(query: Query, holder: string): Promise<void> {
  await query`UPDATE notification_cursor SET held_until = now() - interval '1 second' WHERE holder = ${holder}::uuid`;
}

/**
 * The part of a statement that moves the cursor from its old value only: a process that has lost the cursor inserts nothing.
 */
const moveCursor = (from: Cursor | undefined, to: Cursor): Sql => sql`
  moved AS MATERIALIZED (
    UPDATE notification_cursor SET epoch = ${to.epoch}, seq = ${to.seq}::bigint, event_id = ${to.eventId},
      recorded_at = ${timeOf(to.recordedAt)}
    WHERE epoch IS NOT DISTINCT FROM ${from?.epoch ?? null}::text
      AND seq IS NOT DISTINCT FROM ${from?.seq ?? null}::bigint
      AND event_id IS NOT DISTINCT FROM ${from?.eventId ?? null}::text
    RETURNING 1
  )`;

interface Inserted {
  moved: number;
  inserted: number;
}

/** Inserts the deliveries of events. Returns their number; undefined when the cursor was moved by another process. */
export async function insertFromEvents(
  query: Query,
  from: Cursor | undefined,
  to: Cursor,
  events: readonly ReadEvent[],
): Promise<number | undefined> {
  const facts = events.flatMap((event) => event.facts);
  const [row] = await query<Inserted>`
    WITH ${moveCursor(from, to)},
    ${insertDeliveries(sql`
      SELECT fact.type, fact.request_id, fact.message_key, to_timestamp(fact.at / 1000) AS at
      FROM unnest(
        ${facts.map(({ type }) => type)}::text[], ${facts.map(({ requestId }) => requestId)}::text[],
        ${facts.map(({ messageKey }) => messageKey)}::uuid[], ${facts.map(({ at }) => at)}::float8[]
      ) AS fact (type, request_id, message_key, at)
      WHERE EXISTS (SELECT 1 FROM moved)`)}
    SELECT (SELECT count(*)::int FROM moved) AS moved, (SELECT count(*)::int FROM inserted) AS inserted`;
  return row?.moved === 1 ? row.inserted : undefined;
}

/**
 * Inserts the deliveries that the events since a time should have caused, from the rows of requests and messages: for events
 * that the stream no longer has. What was inserted before is not inserted again.
 */
export async function insertFromRows(
  query: Query,
  from: Cursor | undefined,
  to: Cursor,
  sinceMs: number,
): Promise<number | undefined> {
  const since = timeOf(sinceMs);
  // The row does not say when the keys were exchanged, so an earlier exchange may be notified too.
  const mayMissExchanges = from !== undefined;
  const [row] = await query<Inserted>`
    WITH ${moveCursor(from, to)},
    changed AS MATERIALIZED (
      SELECT request.id, request.created_at, ended_at, last_message_at, provider_encrypt_pub_key IS NOT NULL AS is_exchanged
      FROM request_stages JOIN help_requests AS request ON request.id = request_stages.request_id
      WHERE EXISTS (SELECT 1 FROM moved)
        AND (stage = 'open' OR (stage = 'ended' AND at >= ${since} - interval '1 day'))
        AND request.user_id IN (SELECT owner_id FROM notification_endpoints AS endpoint WHERE ${isUsable})
    ),
    ${insertDeliveries(sql`
      SELECT 'request.created' AS type, id AS request_id, NULL::uuid AS message_key, now() AS at
      FROM changed WHERE created_at >= ${since}
      UNION ALL
      SELECT 'request.ended', id, NULL, now() FROM changed WHERE ended_at >= ${since}
      UNION ALL
      SELECT 'keys.exchanged', id, NULL, now() FROM changed WHERE is_exchanged AND ${mayMissExchanges}
      UNION ALL
      SELECT 'message.created', request_id, message_key, now()
      FROM changed JOIN messages ON request_id = changed.id
      WHERE last_message_at >= ${since} AND messages.created_at >= ${since}`)}
    SELECT (SELECT count(*)::int FROM moved) AS moved, (SELECT count(*)::int FROM inserted) AS inserted`;
  return row?.moved === 1 ? row.inserted : undefined;
}
