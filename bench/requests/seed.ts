import type { Database } from '../environment/database.ts';
import { encryptedMessage, submission } from './samples.ts';

/** Writes a conversation of encrypted messages into the tables. Returns its id. */
export async function writeConversation(
  database: Database,
  userId: string,
  messages: number,
): Promise<string> {
  const [request] = await database.query<{ id: string }>(
    `INSERT INTO help_requests (
       id, ref_code, user_id, consumer_key_id, call_id, question, context, consumer_sign_pub_key,
       consumer_encrypt_pub_key, expires_at, status, seq, message_count, response_count)
     SELECT left(md5(random()::text), 22), upper(left(md5(random()::text), 8)), user_id, id, gen_random_uuid(),
       $2, $3, $4, $5, now() + interval '72 hours', 'responded', $6::int + 1, $6, $6::int / 2
     FROM api_keys WHERE user_id = $1 AND kind = 'consumer'
     RETURNING id`,
    [
      ...[userId, submission.question, JSON.stringify(submission.messages)],
      ...[submission.consumerSignPubKey, submission.consumerEncryptPubKey, messages],
    ],
  );
  const id = request?.id ?? '';
  for (let seq = 2; seq <= messages + 1; seq++) {
    const message = encryptedMessage();
    await database.query(
      `INSERT INTO messages (
         request_id, seq, role, message_id, message_key, iv, ciphertext, tag, ephemeral_public_key, signature)
       VALUES ($1, $2, $3, $4::text, $4::text::uuid, $5, $6, $7, $8, $9)`,
      [
        ...[id, seq, seq % 2 === 0 ? 'provider' : 'consumer', crypto.randomUUID()],
        ...[message.iv, message.ciphertext, message.tag, message.ephemeralPublicKey, message.signature],
      ],
    );
  }
  return id;
}

/**
 * Writes an expert's requests of some months into the tables: of a hundred, one is pending, two are answered, and the
 * others have ended.
 */
export async function seedInbox(database: Database, userId: string, count: number): Promise<void> {
  const { question, messages, consumerSignPubKey, consumerEncryptPubKey } = submission;
  await database.query(
    `INSERT INTO help_requests (
       id, ref_code, user_id, consumer_key_id, call_id, question, context, consumer_sign_pub_key,
       consumer_encrypt_pub_key, created_at, expires_at, status, response_count, message_count, last_message_at,
       turn, ended_at)
     SELECT left(md5('id' || number), 22), upper(left(md5('ref' || number), 12)), user_id, id, gen_random_uuid(),
       $2 || repeat(' ' || md5(number::text), number % 10), $3, $4, $5, now() - number * interval '1 minute',
       now() + interval '1 day',
       CASE WHEN part = 0 THEN 'pending' WHEN part < 3 THEN 'responded' WHEN part < 50 THEN 'closed' ELSE 'expired'
         END::request_status,
       CASE WHEN part = 0 THEN 0 ELSE 1 END, CASE WHEN part = 0 THEN 0 ELSE 1 END,
       CASE WHEN part > 0 THEN now() END,
       CASE WHEN part > 1 THEN 'consumer' ELSE 'provider' END::message_role,
       CASE WHEN part > 2 THEN now() END
     FROM api_keys, generate_series(1, $6::int) AS number, LATERAL (SELECT number % 100 AS part) AS drawn
     WHERE user_id = $1 AND api_keys.kind = 'consumer'`,
    [
      userId,
      question,
      JSON.stringify(messages.slice(0, 1)),
      consumerSignPubKey,
      consumerEncryptPubKey,
      count,
    ],
  );
  await database.query('VACUUM ANALYZE help_requests, request_stages');
}

const rowsPerStatement = 100_000;

/**
 * Writes open requests into the tables, in one commit, so that no sweep finds only a part of them. The first expires
 * `dueIn` seconds from now (negative: it has expired), each of the others `apart` milliseconds after the one before.
 * Returns the id of the last one.
 */
export async function seedOverdue(
  database: Database,
  userId: string,
  options: { count: number; dueIn: number; apart: number },
): Promise<string> {
  const { count, dueIn, apart } = options;
  const { question, messages, consumerSignPubKey, consumerEncryptPubKey } = submission;
  await database.query('BEGIN');
  // Switches off foreign keys, whose checks take half a minute for a million rows. It also switches off the trigger that
  // writes the stages, so the statement below writes them.
  await database.query('SET LOCAL session_replication_role = replica');
  for (let from = 1; from <= count; from += rowsPerStatement) {
    await database.query(
      `WITH request AS (INSERT INTO help_requests (
         id, ref_code, user_id, consumer_key_id, call_id, question, context, consumer_sign_pub_key,
         consumer_encrypt_pub_key, created_at, expires_at)
       SELECT left(md5(random()::text), 22), upper(left(md5(random()::text), 12)), user_id, id, gen_random_uuid(),
         $2, $3, $4, $5, now() - interval '72 hours',
         now() + $6::float8 * interval '1 second' + number * $7::float8 * interval '1 millisecond'
       FROM api_keys, generate_series($8::int, $9::int) AS number WHERE user_id = $1 AND kind = 'consumer'
       RETURNING id, user_id, created_at, expires_at)
       INSERT INTO request_stages (stage, at, request_id, user_id, active_at, progress)
       SELECT 'open', expires_at, id, user_id, created_at, 'unanswered' FROM request`,
      [
        ...[
          userId,
          question,
          JSON.stringify(messages.slice(0, 1)),
          consumerSignPubKey,
          consumerEncryptPubKey,
        ],
        ...[dueIn, apart, from, Math.min(from + rowsPerStatement - 1, count)],
      ],
    );
  }
  const [last] = await database.query<{ id: string }>(
    `SELECT id FROM help_requests WHERE created_at = (now() - interval '72 hours')::timestamptz(3)
     ORDER BY expires_at DESC LIMIT 1`,
  );
  await database.query('COMMIT');
  return last?.id ?? '';
}
