import type { Query } from '@expert-relay/db';
import type { Content } from './stored-message.ts';

interface Row extends Content {
  seq: number;
  messageId: string;
  createdAt: string;
}

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
