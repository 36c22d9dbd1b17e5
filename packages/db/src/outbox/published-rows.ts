import type pg from 'pg';
import type { StreamEnd } from './stream.ts';

/** Small enough for the leader to keep its session alive between two statements. */
const batchSize = 2_000;
/**
 * Rows are marked as published nearly in the order of the stream, so the events that a stream lost are among the newest
 * rows. The number is large because some marks are late and the clock of Postgres may be set back.
 */
const minExamined = 20_000;

/** The key of a row that would come after all others. */
const afterAll = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/**
 * Sets rows back to waiting whose events the stream has lost; returns how many. NATS acknowledges an event before it is on
 * disk. So published rows are kept for some time and compared with the stream: a stream that lost its newest events lacks
 * the rows after its last sequence, and one that was created again (at another time) lacks all.
 *
 * It goes from the newest row to the oldest, and stops early when the newest `minExamined` are in the stream: there
 * may be millions. If it has to read all of them it takes minutes, so `signal` ends it; the next leader continues.
 */
export async function requeueLost(
  client: pg.ClientBase,
  stream: StreamEnd,
  signal?: AbortSignal,
): Promise<number> {
  let before = afterAll;
  let requeued = 0;
  for (let examined = 0; (requeued > 0 || examined < minExamined) && !signal?.aborted; ) {
    const { rows } = await client.query<{ examined: number; lost: number; at: string; id: string }>(
      requeueText,
      [stream.createdAt, stream.lastSeq, before.at, before.id, batchSize],
    );
    const [oldest] = rows;
    if (!oldest) break;
    examined += oldest.examined;
    requeued += oldest.lost;
    before = oldest;
  }
  return requeued;
}

/**
 * Requeues the lost rows of one batch. One row results: the counts of the batch, and its oldest row, where the next begins.
 *
 * Other commits of the session do not wait for the disk; this one does. If Postgres lost it in a crash, after some of the
 * rows were published again, the old sequences of the others could belong to other events of the stream.
 *
 * The lost rows are found by their ids in an array: Postgres would read the whole table to join them, though there are none as a rule.
 */
const requeueText = `
  WITH batch AS MATERIALIZED (
    SELECT id, published_at, stream_created_at <> $1 OR stream_seq > $2 AS is_lost FROM outbox_events
    WHERE published_at IS NOT NULL AND (published_at, id) < ($3::timestamptz, $4::uuid)
    ORDER BY published_at DESC, id DESC LIMIT $5
  ),
  requeued AS (
    UPDATE outbox_events SET published_at = NULL, stream_seq = NULL, stream_created_at = NULL
    WHERE id = ANY (ARRAY(SELECT id FROM batch WHERE is_lost))
  )
  SELECT
    count(*) OVER ()::int AS examined, count(*) FILTER (WHERE is_lost) OVER ()::int AS lost,
    published_at::text AS at, id, set_config('synchronous_commit', 'on', true)
  FROM batch ORDER BY published_at, id LIMIT 1`;

/**
 * Deletes one batch of rows that were published longer than `retentionMs` ago and that the stream holds. `more`: the
 * batch was full. `timeout`: it was cancelled after a second, so that it neither delays publishing nor ends the
 * leader's session. That happens while a transaction is open for hours, such as a backup's: vacuum cannot remove the
 * rows that were deleted, and the search has to read them.
 */
export async function deletePublished(
  client: pg.ClientBase,
  stream: StreamEnd,
  retentionMs: number,
): Promise<'done' | 'more' | 'timeout'> {
  // Sent together, so that no other statement of this connection is executed between them.
  const results = await Promise.allSettled([
    client.query(`BEGIN; SET LOCAL statement_timeout = '1s'`),
    client.query(deleteText, [stream.createdAt, stream.lastSeq, retentionMs, batchSize]),
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

/** Postgres's code for a statement that was cancelled by its timeout. */
const canceled = '57014';

const deleteText = `
  DELETE FROM outbox_events WHERE id IN (
    SELECT id FROM outbox_events
    WHERE published_at < now() - $3 * interval '1 millisecond' AND stream_created_at = $1 AND stream_seq <= $2
    ORDER BY published_at LIMIT $4)`;
