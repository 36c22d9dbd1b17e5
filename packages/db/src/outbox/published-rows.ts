import type pg from 'pg';
import type { StreamPosition } from './stream.ts';

/** Small enough for the leader to keep its session alive between two statements. */
const batchSize = 2_000;
/**
 * Rows are marked as published in the order of the stream, so a stream that lost its tail lacks the newest.
 * More than the newest are examined, for marks that came late and for a clock that was set back.
 */
const minExamined = 20_000;

/** After every row. */
const afterAll = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/**
 * An ack says that NATS received an event, not that it is on disk. So published rows are kept for a while, and
 * those that the stream lost are published again: rows beyond its last sequence when it lost its tail, all
 * of them when it was created again. When none of the newest is missing, the others are not read: there may be
 * millions, which take minutes, so `signal` ends it early. Returns how many rows wait again.
 */
export async function requeueLost(
  client: pg.ClientBase,
  stream: StreamPosition,
  signal?: AbortSignal,
): Promise<number> {
  let before = afterAll;
  let requeued = 0;
  for (let examined = 0; (requeued > 0 || examined < minExamined) && !signal?.aborted; ) {
    const { rows } = await client.query<{ examined: number; lost: number; at: string; id: string }>(
      requeueText,
      [stream.epoch, stream.lastSeq, before.at, before.id, batchSize],
    );
    const [oldest] = rows;
    if (!oldest) break;
    examined += oldest.examined;
    requeued += oldest.lost;
    before = oldest;
  }
  return requeued;
}

/** Of the next batch, newest first: how many rows it had, how many of them were lost, and the oldest. */
const requeueText = `
  WITH batch AS MATERIALIZED (
    SELECT id, published_at, stream_epoch <> $1 OR stream_seq > $2 AS is_lost FROM outbox_events
    WHERE published_at IS NOT NULL AND (published_at, id) < ($3::timestamptz, $4::uuid)
    ORDER BY published_at DESC, id DESC LIMIT $5
  ),
  requeued AS (
    UPDATE outbox_events AS event SET published_at = NULL, stream_seq = NULL, stream_epoch = NULL
    FROM batch WHERE event.id = batch.id AND is_lost
  )
  SELECT
    count(*) OVER ()::int AS examined, count(*) FILTER (WHERE is_lost) OVER ()::int AS lost,
    published_at::text AS at, id
  FROM batch ORDER BY published_at, id LIMIT 1`;

/**
 * Deletes rows that were published longer than `retentionMs` ago and that the stream holds. `timeout`: it
 * was cancelled after a second. While a transaction is open for hours, such as a backup's, vacuum cannot remove the
 * deleted rows, and the search has to pass them; that must neither delay publishing nor end the leader's session.
 */
export async function deletePublished(
  client: pg.ClientBase,
  stream: StreamPosition,
  retentionMs: number,
): Promise<'done' | 'more' | 'timeout'> {
  // Sent together, so that no other statement of this connection is executed between them.
  const results = await Promise.allSettled([
    client.query(`BEGIN; SET LOCAL statement_timeout = '1s'`),
    client.query(deleteText, [stream.epoch, stream.lastSeq, retentionMs, batchSize]),
    client.query('COMMIT'),
  ]);
  for (const result of results) {
    if (result.status === 'fulfilled') continue;
    if (result.reason.code === canceled) return 'timeout';
    throw result.reason;
  }
  const [, deleted] = results;
  return deleted.status === 'fulfilled' && deleted.value.rowCount === batchSize ? 'more' : 'done';
}

/** Postgres's code for a statement that reached its timeout. */
const canceled = '57014';

const deleteText = `
  DELETE FROM outbox_events WHERE id IN (
    SELECT id FROM outbox_events
    WHERE published_at < now() - $3 * interval '1 millisecond' AND stream_epoch = $1 AND stream_seq <= $2
    ORDER BY published_at LIMIT $4)`;
