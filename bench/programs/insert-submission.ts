import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';

export interface Submission {
  readonly messages: readonly object[];
  readonly question: string;
  readonly consumerSignPubKey: string;
  readonly consumerEncryptPubKey: string;
}

/** The two rows of a submit, as bare as they can be written. */
const text = `
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

export function insertSubmission(pool: pg.Pool, submission: Submission): Promise<pg.QueryResult> {
  const { question, messages, consumerSignPubKey, consumerEncryptPubKey } = submission;
  return pool.query({
    name: 'submit',
    text,
    values: [
      ...[randomBytes(16).toString('base64url'), randomBytes(8).toString('hex').toUpperCase(), userId, keyId],
      ...[randomUUID(), question, JSON.stringify(messages), consumerSignPubKey, consumerEncryptPubKey, event],
    ],
  });
}
