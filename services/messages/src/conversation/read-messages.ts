import { type Query, raw, sql } from '@expert-relay/db';
import type { Content } from './message.ts';

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

/** The size of a page, in bytes of content. A single message may be larger. */
export const pageBytes = 65_536;

const columns = sql`seq, role, message_id AS "messageId", iv, ciphertext, tag,
  ephemeral_public_key AS "ephemeralPublicKey", signature, plaintext, answer, created_at AS "createdAt"`;

// Postgres reads the length of a large text without the text itself.
const size = raw(
  ['iv', 'ciphertext', 'tag', 'ephemeral_public_key', 'signature', 'plaintext', 'answer']
    .map((column) => `COALESCE(octet_length(${column}), 0)`)
    .join(' + '),
);

// One row more than `limit`, so that it is known whether there are more.
const inRange = ({ requestId, after, upTo, limit }: Range) => sql`
  FROM messages
  WHERE request_id = ${requestId} AND seq > ${after}::int AND seq <= ${upTo}::int
  ORDER BY seq
  LIMIT ${limit + 1}::int`;

/** Messages in order, and whether there are more of them up to `upTo`. */
interface Page {
  rows: Row[];
  hasMore: boolean;
}

/** Messages with `after < seq <= upTo`, at most `limit`, of a conversation that is not larger than a page. */
export async function readSmallPage(query: Query, range: Range): Promise<Page> {
  const rows = await query<Row>`SELECT ${columns} ${inRange(range)}`;
  return { rows: rows.slice(0, range.limit), hasMore: rows.length > range.limit };
}

/** The same for a conversation of any size: a page ends with the message that fills it. This costs Postgres twice as much. */
export async function readPage(query: Query, range: Range): Promise<Page> {
  const rows = await query<Row & { hasNext: boolean }>`
    SELECT ${columns}, "hasNext"
    FROM (
      SELECT *, sum(size) OVER by_seq - size AS before, lead(seq) OVER by_seq IS NOT NULL AS "hasNext"
      FROM (SELECT *, ${size} AS size ${inRange(range)}) AS sized
      WINDOW by_seq AS (ORDER BY seq)
    ) AS summed
    WHERE before < ${pageBytes}::int
    ORDER BY seq
    LIMIT ${range.limit}::int`;
  return { rows, hasMore: rows.at(-1)?.hasNext ?? false };
}

/**
 * A message as JSON. Only its text has to be escaped: all other columns contain UUIDs, base64 or numbers.
 * `JSON.stringify` of the whole message takes three times as long.
 */
export function messageText(row: Row): string {
  const { messageId, seq, role, iv, ciphertext, tag, ephemeralPublicKey, signature, plaintext, answer } = row;
  let text = `{"messageId":"${messageId}","seq":${seq},"role":"${role}"`;
  if (ciphertext !== null) {
    text += `,"encrypted":{"iv":"${iv}","ciphertext":"${ciphertext}","tag":"${tag}"`;
    text += `,"ephemeralPublicKey":"${ephemeralPublicKey}"},"signature":"${signature}"`;
  }
  if (plaintext !== null) text += `,"plaintext":${JSON.stringify(plaintext)}`;
  if (answer !== null) text += `,"answer":${JSON.stringify(answer)}`;
  return `${text},"createdAt":"${row.createdAt}"}`;
}
