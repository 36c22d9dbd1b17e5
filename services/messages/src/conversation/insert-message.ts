import { newMessageEvent } from '@expert-relay/contracts';
import {
  eventParts,
  ownedBy,
  type Party,
  type Query,
  type RequestStatus,
  refCodeColumn,
  sql,
  statusNow,
} from '@expert-relay/db';
import { type Content, sizeOf } from './message.ts';

export interface NewMessage {
  requestId: string;
  messageId: string;
  content: Content;
}

/** The request before the message, and the message's time if it was inserted. */
export interface Outcome {
  refCode: string;
  status: RequestStatus;
  hasRoom: boolean;
  hasForm: boolean;
  /** Whether the agent can decrypt. Then it refuses answers in plain text, unless it was told to accept them. */
  agentHasKeys: boolean;
  createdAt: string | null;
}

const maxMessages = 10_000;
const maxBytes = 64 * 1024 * 1024;
/** From then on, only small messages are accepted, so that files cannot prevent a decision. */
const smallOnlyBytes = 56 * 1024 * 1024;
const smallBytes = 64 * 1024;

/**
 * Locks the request, inserts the message, counts it and records the event, in one statement. Returns `undefined` when the
 * caller has no such request.
 *
 * Each message gets a later time than the one before it.
 */
export async function insertMessage(
  query: Query,
  party: Party,
  { requestId, messageId, content }: NewMessage,
): Promise<Outcome | undefined> {
  const size = sizeOf(content);
  const isResponse = content.role === 'provider';
  const [outcome] = await query<Outcome>`
    WITH locked AS (
      SELECT id, user_id, ref_code, seq, last_message_at, status, expires_at,
        message_count < ${maxMessages}::int AND content_bytes + ${size}::int <= ${maxBytes}::int
          AND (content_bytes < ${smallOnlyBytes}::int OR ${size}::int <= ${smallBytes}::int) AS has_room,
        answer_form IS NOT NULL AS has_form, consumer_encrypt_pub_key IS NOT NULL AS agent_has_keys
      FROM help_requests
      WHERE id = ${requestId} AND ${ownedBy(party)}
      FOR NO KEY UPDATE
    ),
    request AS (
      SELECT id, user_id, ref_code, seq, last_message_at, ${statusNow} AS status, has_room, has_form, agent_has_keys
      FROM locked
    ),
    message AS (
      INSERT INTO messages (
        request_id, seq, role, message_id, message_key,
        iv, ciphertext, tag, ephemeral_public_key, signature, plaintext, answer, created_at)
      SELECT
        id, seq + 1, ${content.role}::message_role, ${messageId}, ${messageId}::uuid,
        ${content.iv}, ${content.ciphertext}, ${content.tag}, ${content.ephemeralPublicKey},
        ${content.signature}, ${content.plaintext}, ${content.answer},
        GREATEST(clock_timestamp(), last_message_at + interval '1 millisecond')
      FROM request
      WHERE status IN ('pending', 'responded') AND has_room AND (has_form AND NOT agent_has_keys OR ${content.answer === null})
      ON CONFLICT (request_id, message_key) DO NOTHING
      RETURNING request_id, seq, created_at
    ),
    counted AS (
      UPDATE help_requests SET
        seq = message.seq,
        message_count = message_count + 1,
        content_bytes = content_bytes + ${size}::int,
        response_count = response_count + ${isResponse ? 1 : 0}::int,
        last_message_at = message.created_at,
        turn = ${isResponse ? 'consumer' : 'provider'}::message_role,
        snoozed_until = NULL,
        status = CASE WHEN ${isResponse} THEN 'responded'::request_status ELSE status END
      FROM message
      WHERE id = message.request_id
    ),
    ${eventParts({
      ...newMessageEvent({ role: content.role, messageId }),
      from: sql`
        SELECT user_id, request_id, ref_code, message.seq
        FROM message JOIN request ON request.id = message.request_id`,
    })}
    SELECT ${refCodeColumn}, status, has_room AS "hasRoom", has_form AS "hasForm", agent_has_keys AS "agentHasKeys",
      created_at AS "createdAt"
    FROM request LEFT JOIN message ON message.request_id = request.id`;
  return outcome;
}

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
      signature, plaintext, answer, created_at AS "createdAt",
      EXISTS (
        SELECT 1 FROM messages AS reply
        WHERE reply.request_id = earlier.request_id AND reply.role = 'provider' AND reply.seq <= earlier.seq
      ) AS "wasResponded"
    FROM messages AS earlier
    WHERE request_id = ${requestId} AND message_key = ${messageId}::uuid`;
  return earlier;
}
