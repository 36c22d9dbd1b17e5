import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';

/* The statements of the baselines, without any check. */

/** It has the same number of connections as a service. */
export const openPool = (): pg.Pool => new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

interface Submission {
  readonly messages: readonly object[];
  readonly question: string;
  readonly consumerSignPubKey: string;
  readonly consumerEncryptPubKey: string;
}

const insertText = `
  WITH request AS (
    INSERT INTO help_requests (
      id, ref_code, user_id, consumer_key_id, call_id, question, context,
      consumer_sign_pub_key, consumer_encrypt_pub_key, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + interval '72 hours')
    RETURNING id, ref_code, user_id, expires_at
  ),
  event AS (
    INSERT INTO outbox_events (type, payload, user_id, request_id, ref_code, seq)
    SELECT 'new_request', $10, user_id, id, ref_code, 1 FROM request
  )
  SELECT id, ref_code, expires_at FROM request`;

const { BENCH_USER_ID: userId, BENCH_KEY_ID: keyId, BENCH_PAYLOAD: payload = '' } = process.env;
const event = Buffer.from(payload, 'base64url');

/** The two rows of a submit. */
export function insertSubmission(pool: pg.Pool, submission: Submission): Promise<pg.QueryResult> {
  const { question, messages, consumerSignPubKey, consumerEncryptPubKey } = submission;
  return pool.query({
    name: 'submit',
    text: insertText,
    values: [
      ...[randomBytes(16).toString('base64url'), randomBytes(8).toString('hex').toUpperCase(), userId, keyId],
      ...[randomUUID(), question, JSON.stringify(messages), consumerSignPubKey, consumerEncryptPubKey, event],
    ],
  });
}

const messageText = `
  WITH request AS (SELECT id, user_id, ref_code, seq FROM help_requests WHERE id = $1 FOR NO KEY UPDATE),
  message AS (
    INSERT INTO messages (request_id, seq, role, message_id, message_key, plaintext)
    SELECT id, seq + 1, $2::message_role, $3::text, $3::text::uuid, $4 FROM request
    RETURNING request_id, seq, created_at
  ),
  counted AS (
    UPDATE help_requests SET seq = message.seq, message_count = message_count + 1, response_count = response_count + 1,
      last_message_at = message.created_at, turn = 'consumer'
    FROM message WHERE id = message.request_id
  ),
  event AS (
    INSERT INTO outbox_events (type, payload, user_id, request_id, ref_code, seq, failed_at)
    SELECT 'new_message', $5, user_id, id, ref_code, message.seq, now() FROM request, message
  )
  SELECT ref_code, created_at FROM request, message`;

interface Message {
  readonly requestId: string;
  readonly role: string;
  readonly messageId: string;
  readonly plaintext: string;
}

/** The rows of a message. Its event counts as one that cannot be published, so the outbox leader leaves it alone. */
export const insertMessage = (pool: pg.Pool, message: Message): Promise<pg.QueryResult> => {
  const { requestId, role, messageId, plaintext } = message;
  return pool.query({
    name: 'message',
    text: messageText,
    values: [requestId, role, messageId, plaintext, Buffer.from(`${role} ${messageId}`)],
  });
};

const listText = `
  SELECT seq, role, message_id AS "messageId", iv, ciphertext, tag,
    ephemeral_public_key AS "ephemeralPublicKey", signature, plaintext, created_at AS "createdAt"
  FROM messages WHERE request_id = $1 ORDER BY seq`;

const requestId = process.env.BENCH_REQUEST_ID;

/** The messages of one conversation, in order. */
export const queryMessages = (pool: pg.Pool): Promise<pg.QueryResult> =>
  pool.query({ name: 'list', text: listText, values: [requestId] });
