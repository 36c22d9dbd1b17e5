import type { Message, Query } from '@expert-relay/db';

type Row = Omit<Message, 'requestId' | 'messageKey'>;

/** Messages with `after < seq <= upTo`, at most `limit`, in order. */
export function readMessages(
  query: Query,
  { requestId, after, upTo, limit }: { requestId: string; after: number; upTo: number; limit: number },
): Promise<Row[]> {
  return query<Row>`
    SELECT seq, role, message_id AS "messageId", iv, ciphertext, tag,
      ephemeral_public_key AS "ephemeralPublicKey", signature, plaintext, created_at AS "createdAt"
    FROM messages
    WHERE request_id = ${requestId} AND seq > ${after}::int AND seq <= ${upTo}::int
    ORDER BY seq
    LIMIT ${limit}::int`;
}

export const messageBody = (row: Row) => ({
  messageId: row.messageId,
  seq: row.seq,
  role: row.role,
  ...(row.ciphertext !== null && {
    encrypted: {
      iv: row.iv,
      ciphertext: row.ciphertext,
      tag: row.tag,
      ephemeralPublicKey: row.ephemeralPublicKey,
    },
    signature: row.signature,
  }),
  ...(row.plaintext !== null && { plaintext: row.plaintext }),
  createdAt: row.createdAt.toISOString(),
});
