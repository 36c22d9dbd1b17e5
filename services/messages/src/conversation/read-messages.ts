import { type Query, raw, sql } from '@expert-relay/db';
import type { Content } from './stored-message.ts';

interface Row extends Content {
  seq: number;
  messageId: string;
  createdAt: string;
}

interface Range {
  requestId: string;
  after: number;
  upTo: number;
  limit: number;
}

/** A message may be a megabyte: of a large conversation so much is read at a time, and one message beyond it. */
export const pageBytes = 1_048_576;

const columns = sql`seq, role, message_id AS "messageId", iv, ciphertext, tag,
  ephemeral_public_key AS "ephemeralPublicKey", signature, plaintext, created_at AS "createdAt"`;

const size = raw(
  ['iv', 'ciphertext', 'tag', 'ephemeral_public_key', 'signature', 'plaintext']
    .map((column) => `COALESCE(octet_length(${column}), 0)`)
    .join(' + '),
);

const inRange = ({ requestId, after, upTo, limit }: Range) => sql`
  FROM messages
  WHERE request_id = ${requestId} AND seq > ${after}::int AND seq <= ${upTo}::int
  ORDER BY seq
  LIMIT ${limit}::int`;

/** Messages with `after < seq <= upTo`, at most `limit`, in order. */
export const readMessages = (query: Query, range: Range): Promise<Row[]> =>
  query<Row>`SELECT ${columns} ${inRange(range)}`;

/** The same, but no more at a time than memory is meant for; `wasCut` when that may have left some out. */
export async function readLargeMessages(
  query: Query,
  range: Range,
): Promise<{ rows: Row[]; wasCut: boolean }> {
  // The length of a text stands before it: Postgres fetches none that it does not give away.
  const rows = await query<Row & { isFull: boolean }>`
    SELECT ${columns}, sum >= ${pageBytes}::int AS "isFull"
    FROM (
      SELECT *, sum(size) OVER (ORDER BY seq) FROM (
        SELECT *, ${size} AS size ${inRange(range)}
      ) AS sized
    ) AS summed
    WHERE sum - size < ${pageBytes}::int
    ORDER BY seq`;
  return { rows, wasCut: rows.at(-1)?.isFull ?? false };
}

/**
 * A message as JSON. Written out, since lists are made of it: what a message's columns may hold (UUIDs,
 * base64, numbers) needs no escaping, but for its text. `JSON.stringify` took three times as long.
 */
export function messageText(row: Row): string {
  const { messageId, seq, role, iv, ciphertext, tag, ephemeralPublicKey, signature, plaintext } = row;
  let text = `{"messageId":"${messageId}","seq":${seq},"role":"${role}"`;
  if (ciphertext !== null) {
    text += `,"encrypted":{"iv":"${iv}","ciphertext":"${ciphertext}","tag":"${tag}"`;
    text += `,"ephemeralPublicKey":"${ephemeralPublicKey}"},"signature":"${signature}"`;
  }
  if (plaintext !== null) text += `,"plaintext":${JSON.stringify(plaintext)}`;
  return `${text},"createdAt":"${row.createdAt}"}`;
}
