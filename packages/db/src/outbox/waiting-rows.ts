import type pg from 'pg';
import { bulkPositions } from './bulk-positions.ts';

/** An event that was committed and is not yet told. */
export interface WaitingRow {
  readonly id: string;
  readonly position: number;
  readonly type: string;
  readonly payload: Buffer;
  readonly userId: string;
  readonly requestId: string | null;
  readonly refCode: string | null;
  readonly seq: number;
  readonly recordedAt: Date;
}

/** Which row NATS stored where. */
export interface Placed {
  readonly id: string;
  readonly streamSeq: number;
}

/** Positions at or below which no row waits: among those told in bulk, and among all others. */
export interface Dealt {
  readonly position: number;
  readonly bulkPosition: number;
}

/** In the order of their positions. Never after "the last one": rows are committed out of that order. */
export async function selectWaiting(
  client: pg.ClientBase,
  { after, limit }: { after: Dealt; limit: number },
): Promise<readonly WaitingRow[]> {
  const { rows } = await client.query<WaitingRow>({
    name: 'select-waiting',
    text: `${firstWaiting(`position > $1 AND position <= ${bulkPositions}`)} UNION ALL
           ${firstWaiting('position > $2')} ORDER BY position LIMIT $3`,
    values: [after.position, after.bulkPosition, limit],
  });
  return rows;
}

const firstWaiting = (where: string) => `(
  SELECT id, position::float8 AS position, type, payload, user_id AS "userId", request_id AS "requestId",
    ref_code AS "refCode", seq, recorded_at AS "recordedAt"
  FROM outbox_events WHERE published_at IS NULL AND failed_at IS NULL AND ${where}
  ORDER BY outbox_events.position LIMIT $3)`;

export async function markPublished(
  client: pg.ClientBase,
  placed: readonly Placed[],
  streamEpoch: string,
): Promise<void> {
  await client.query({
    name: 'mark-published',
    text: `UPDATE outbox_events AS event
           SET published_at = clock_timestamp(), stream_seq = placed.seq, stream_epoch = $3
           FROM unnest($1::uuid[], $2::bigint[]) AS placed (id, seq)
           WHERE event.id = placed.id`,
    values: [placed.map(({ id }) => id), placed.map(({ streamSeq }) => streamSeq), streamEpoch],
  });
}

/** For rows that can never be published: they wait no longer, and hold nobody up. */
export async function setAside(client: pg.ClientBase, ids: readonly string[]): Promise<void> {
  await client.query('UPDATE outbox_events SET failed_at = clock_timestamp() WHERE id = ANY($1::uuid[])', [
    ids,
  ]);
}
