import type { Database } from '../stage/open-database.ts';
import { submission } from './submission.ts';

/**
 * An expert's requests of some months, straight into the tables: of a hundred two wait for the expert, one is answered,
 * and the others have ended.
 */
export async function seedInbox(database: Database, userId: string, count: number): Promise<void> {
  const { question, messages, consumerSignPubKey, consumerEncryptPubKey } = submission;
  await database.query(
    `INSERT INTO help_requests (
       id, ref_code, user_id, consumer_key_id, call_id, question, context, consumer_sign_pub_key,
       consumer_encrypt_pub_key, created_at, expires_at, status, response_count, message_count, last_message_at,
       last_message_role, ended_at)
     SELECT left(md5('id' || number), 22), upper(left(md5('ref' || number), 12)), user_id, id, gen_random_uuid(),
       $2 || repeat(' ' || md5(number::text), number % 10), $3, $4, $5, now() - number * interval '1 minute',
       now() + interval '1 day',
       CASE WHEN part = 0 THEN 'pending' WHEN part < 3 THEN 'responded' WHEN part < 50 THEN 'closed' ELSE 'expired'
         END::request_status,
       CASE WHEN part = 0 THEN 0 ELSE 1 END, CASE WHEN part = 0 THEN 0 ELSE 1 END,
       CASE WHEN part > 0 THEN now() END,
       CASE WHEN part = 1 THEN 'consumer' WHEN part > 1 THEN 'provider' END::message_role,
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
