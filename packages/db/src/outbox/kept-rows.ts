import type pg from 'pg';

/** A stream as it was last seen: which one, and its last sequence. */
export interface StreamPosition {
  /** When the stream was created: a stream that was deleted and created again has another epoch. */
  readonly epoch: string;
  readonly lastSeq: number;
}

/** Small enough for the leader to show life between two statements. */
const portion = 2_000;
/**
 * Rows are marked as published in the order of the stream, one batch after the other, so a stream that lost its
 * tail lacks the newest. This many are examined, for marks that came late and for a clock that was set back.
 */
const newestRows = 20_000;

/** Later than every row. */
const end = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/**
 * An ack says that NATS has an event, not that it is on its disk. So published rows are kept for a while, and
 * those that the stream turns out not to hold wait again: rows beyond its last sequence when it lost its tail, all
 * of them when it was created again. When none of the newest is missing, the others are not read: there may be
 * millions. Returns how many rows wait again.
 * Millions take minutes, so `signal` ends it early.
 */
export async function takeBackLost(
  client: pg.ClientBase,
  stream: StreamPosition,
  signal?: AbortSignal,
): Promise<number> {
  let before = end;
  let taken = 0;
  for (let examined = 0; (taken > 0 || examined < newestRows) && !signal?.aborted; ) {
    const { rows } = await client.query<{ examined: number; lost: number; at: string; id: string }>(
      takeBackText,
      [stream.epoch, stream.lastSeq, before.at, before.id, portion],
    );
    const [oldest] = rows;
    if (!oldest) break;
    examined += oldest.examined;
    taken += oldest.lost;
    before = oldest;
  }
  return taken;
}

/** Of the next portion, newest first: how many there were, how many of them were lost, and which is the oldest. */
const takeBackText = `
  WITH portion AS MATERIALIZED (
    SELECT id, published_at, stream_epoch <> $1 OR stream_seq > $2 AS is_lost FROM outbox_events
    WHERE published_at IS NOT NULL AND (published_at, id) < ($3::timestamptz, $4::uuid)
    ORDER BY published_at DESC, id DESC LIMIT $5
  ),
  taken AS (
    UPDATE outbox_events AS event SET published_at = NULL, stream_seq = NULL, stream_epoch = NULL
    FROM portion WHERE event.id = portion.id AND is_lost
  )
  SELECT
    count(*) OVER ()::int AS examined, count(*) FILTER (WHERE is_lost) OVER ()::int AS lost,
    published_at::text AS at, id
  FROM portion ORDER BY published_at, id LIMIT 1`;

/**
 * Removes rows that were published longer ago than `keepFor` milliseconds and that the stream holds. `timeout`: it
 * was given up after a second. While a transaction is open for hours, such as a backup's, no vacuum can remove what
 * was deleted meanwhile, and the search has to pass it; that must neither hold up publishing nor end the leader.
 */
export async function purgeKept(
  client: pg.ClientBase,
  stream: StreamPosition,
  keepFor: number,
): Promise<'done' | 'more' | 'timeout'> {
  // Sent together, so that no other statement of this connection comes between them.
  const outcomes = await Promise.allSettled([
    client.query(`BEGIN; SET LOCAL statement_timeout = '1s'`),
    client.query(purgeText, [stream.epoch, stream.lastSeq, keepFor, portion]),
    client.query('COMMIT'),
  ]);
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    if (outcome.reason.code === canceled) return 'timeout';
    throw outcome.reason;
  }
  const [, deleted] = outcomes;
  return deleted.status === 'fulfilled' && deleted.value.rowCount === portion ? 'more' : 'done';
}

/** Postgres's code for a statement that reached its timeout. */
const canceled = '57014';

const purgeText = `
  DELETE FROM outbox_events WHERE id IN (
    SELECT id FROM outbox_events
    WHERE published_at < now() - $3 * interval '1 millisecond' AND stream_epoch = $1 AND stream_seq <= $2
    ORDER BY published_at LIMIT $4)`;
