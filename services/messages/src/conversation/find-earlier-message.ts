import type { Query } from '@expert-relay/db';
import type { Content } from './stored-message.ts';

interface EarlierMessage extends Content {
  messageId: string;
  createdAt: string;
  /** Whether the expert had replied by then, this message included. */
  wasResponded: boolean;
}

/** The message that an earlier call stored under this id. */
export async function findEarlierMessage(
  query: Query,
  { requestId, messageId }: { requestId: string; messageId: string },
): Promise<EarlierMessage | undefined> {
  const [earlier] = await query<EarlierMessage>`
    SELECT message_id AS "messageId", role, iv, ciphertext, tag, ephemeral_public_key AS "ephemeralPublicKey",
      signature, plaintext, created_at AS "createdAt",
      EXISTS (
        SELECT 1 FROM messages AS reply
        WHERE reply.request_id = earlier.request_id AND reply.role = 'provider' AND reply.seq <= earlier.seq
      ) AS "wasResponded"
    FROM messages AS earlier
    WHERE request_id = ${requestId} AND message_key = ${messageId}::uuid`;
  return earlier;
}
