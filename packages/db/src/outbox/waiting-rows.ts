import type pg from 'pg';
import { refCodeColumn } from '../request/ids.ts';

/** An event that is committed and not yet published. */
export interface WaitingRow {
  readonly id: string;
  readonly position: number;
  readonly type: string;
  readonly payload: Buffer;
  readonly userId: string;
  readonly requestId: string | null;
  /** In the form for people. */
  readonly refCode: string | null;
  readonly seq: number;
  readonly recordedAt: Date;
}

/** A row whose message NATS has acknowledged, with the message's sequence in the stream. */
export interface StoredRow {
  readonly id: string;
  readonly streamSeq: number;
}

/** A condition on `outbox_events`: committed, and neither published nor set aside. An index has these rows. */
export const isWaiting = 'published_at IS NULL AND failed_at IS NULL';

/** Publishing a batch takes some milliseconds, in which the process handles no call. */
const maxRows = 100;

interface Waiting {
  readonly rows: readonly WaitingRow[];
  /** The batch is full, so more rows may wait. */
  readonly hasMore: boolean;
}

/** The next batch in the order of positions. `after` must be a low watermark: rows are committed out of order. */
export async function selectWaiting(client: pg.ClientBase, after: number): Promise<Waiting> {
  const { rows } = await client.query<WaitingRow>({
    name: 'select-waiting',
    text: waitingText,
    values: [after],
  });
  return { rows, hasMore: rows.length === maxRows };
}

/** The columns of a `WaitingRow`. */
export const rowColumns = `
  id, position::float8 AS position, type, payload, user_id AS "userId", request_id AS "requestId", ${refCodeColumn.sql}, seq,
  recorded_at AS "recordedAt"`;

const waitingText = `
  SELECT ${rowColumns} FROM outbox_events WHERE ${isWaiting} AND position > $1
  ORDER BY outbox_events.position LIMIT ${maxRows}`;

export async function markPublished(
  client: pg.ClientBase,
  stored: readonly StoredRow[],
  streamCreatedAt: string,
): Promise<void> {
  await client.query({
    name: 'mark-published',
    text: `UPDATE outbox_events AS event
           SET published_at = clock_timestamp(), stream_seq = stored.seq, stream_created_at = $3
           FROM unnest($1::uuid[], $2::bigint[]) AS stored (id, seq)
           WHERE event.id = stored.id`,
    values: [stored.map(({ id }) => id), stored.map(({ streamSeq }) => streamSeq), streamCreatedAt],
  });
}

/** Sets rows aside that can never be published, so that they do not block later ones. */
export async function markFailed(client: pg.ClientBase, ids: readonly string[]): Promise<void> {
  await client.query('UPDATE outbox_events SET failed_at = clock_timestamp() WHERE id = ANY($1::uuid[])', [
    ids,
  ]);
}
