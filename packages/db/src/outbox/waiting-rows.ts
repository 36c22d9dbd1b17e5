import type pg from 'pg';

/** An event that was committed and is not yet told. */
export interface WaitingRow {
  readonly id: string;
  readonly position: number;
  readonly type: string;
  readonly payload: Buffer;
  readonly userId: string | null;
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

/** What a batch may have, which takes the process some milliseconds: it answers requests too, and shows life. */
const mostRows = 100;
const mostBytes = 256 * 1024;

export interface Waiting {
  readonly rows: readonly WaitingRow[];
  readonly hasMore: boolean;
}

/** The next batch, in the order of positions. Never after "the last one": rows are committed out of that order. */
export async function selectWaiting(client: pg.ClientBase, after: number): Promise<Waiting> {
  const { rows } = await client.query<WaitingRow>({
    name: 'select-waiting',
    text: waitingText,
    values: [after],
  });
  const bytes = rows.reduce((sum, { payload }) => sum + payload.length, 0);
  return { rows, hasMore: rows.length === mostRows || bytes >= mostBytes };
}

const waitingText = `
  SELECT id, position::float8 AS position, type, payload, user_id AS "userId", request_id AS "requestId",
    ref_code AS "refCode", seq, recorded_at AS "recordedAt"
  FROM (
    SELECT *, sum(octet_length(payload)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) AS bytes
    FROM (
      SELECT * FROM outbox_events WHERE published_at IS NULL AND failed_at IS NULL AND position > $1
      ORDER BY position LIMIT ${mostRows}
    ) AS first
  ) AS counted
  WHERE bytes - octet_length(payload) < ${mostBytes}
  ORDER BY counted.position`;

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
