import type pg from 'pg';

/** The bare query behind a list: the messages of one conversation in order. */
const text = `
  SELECT seq, role, message_id AS "messageId", iv, ciphertext, tag,
    ephemeral_public_key AS "ephemeralPublicKey", signature, plaintext, created_at AS "createdAt"
  FROM messages WHERE request_id = $1 ORDER BY seq`;

const requestId = process.env.BENCH_REQUEST_ID;

export const queryMessages = (pool: pg.Pool): Promise<pg.QueryResult> =>
  pool.query({ name: 'list', text, values: [requestId] });
