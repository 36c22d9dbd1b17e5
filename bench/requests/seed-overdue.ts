import type { Database } from '../stage/open-database.ts';
import { submission } from './submission.ts';

const slice = 100_000;

/**
 * Open requests straight into the table: the first falls due `dueIn` seconds from now (or did, when that is
 * negative), the others `apart` milliseconds after one another. In one commit, so that no sweep finds a part
 * of them. Gives the id of the last one.
 */
export async function seedOverdue(
  database: Database,
  userId: string,
  options: { count: number; dueIn: number; apart: number },
): Promise<string> {
  const { count, dueIn, apart } = options;
  const { question, messages, consumerSignPubKey, consumerEncryptPubKey } = submission;
  await database.query('BEGIN');
  // A million rows are checked against their user and key for half a minute otherwise. It keeps the trigger
  // from writing their stages too.
  await database.query('SET LOCAL session_replication_role = replica');
  for (let from = 1; from <= count; from += slice) {
    await database.query(
      `WITH request AS (INSERT INTO help_requests (
         id, ref_code, user_id, consumer_key_id, call_id, question, context, consumer_sign_pub_key,
         consumer_encrypt_pub_key, created_at, expires_at)
       SELECT left(md5(random()::text), 22), left(md5(random()::text), 12), user_id, id, gen_random_uuid(),
         $2, $3, $4, $5, now() - interval '72 hours',
         now() + $6::float8 * interval '1 second' + number * $7::float8 * interval '1 millisecond'
       FROM api_keys, generate_series($8::int, $9::int) AS number WHERE user_id = $1 AND kind = 'consumer'
       RETURNING id, user_id, created_at, expires_at)
       INSERT INTO request_stages (stage, at, request_id, user_id, created_at, progress)
       SELECT 'open', expires_at, id, user_id, created_at, 'unanswered' FROM request`,
      [
        ...[
          userId,
          question,
          JSON.stringify(messages.slice(0, 1)),
          consumerSignPubKey,
          consumerEncryptPubKey,
        ],
        ...[dueIn, apart, from, Math.min(from + slice - 1, count)],
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
