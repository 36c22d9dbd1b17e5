import type pg from 'pg';

/** A stream as it was last seen: which one, and how far it goes. */
export interface StreamPosition {
  /** When the stream was made: one that is made anew has another. */
  readonly epoch: string;
  readonly lastSeq: number;
}

/** Small enough that no statement keeps the leader from showing life. */
const chunk = 2_000;

/**
 * An ack says that NATS has an event, not that it is on its disk. So published rows are kept for a while,
 * and those that the stream turns out not to hold wait again: beyond its last sequence when it lost its
 * tail, all of them when it was made anew. Gives how many there were.
 */
export async function takeBackLost(client: pg.ClientBase, stream: StreamPosition): Promise<number> {
  for (let total = 0; ; ) {
    const { rowCount } = await client.query(
      `UPDATE outbox_events SET published_at = NULL, stream_seq = NULL, stream_epoch = NULL
       WHERE id IN (
         SELECT id FROM outbox_events
         WHERE published_at IS NOT NULL AND (stream_epoch <> $1 OR stream_seq > $2) LIMIT $3)`,
      [stream.epoch, stream.lastSeq, chunk],
    );
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < chunk) return total;
  }
}

/**
 * Removes what was published longer ago than `keepFor` milliseconds and is still within the stream's numbers. Gives
 * whether there may be more of it.
 */
export async function purgeKept(
  client: pg.ClientBase,
  stream: StreamPosition,
  keepFor: number,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `DELETE FROM outbox_events WHERE id IN (
       SELECT id FROM outbox_events
       WHERE published_at < now() - $3 * interval '1 millisecond' AND stream_epoch = $1 AND stream_seq <= $2
       ORDER BY published_at LIMIT $4)`,
    [stream.epoch, stream.lastSeq, keepFor, chunk],
  );
  return rowCount === chunk;
}
