import type { Database } from '../stage/open-database.ts';
import { encryptedMessage } from './encrypted-message.ts';
import { submission } from './submission.ts';

/** A conversation of so many encrypted messages, straight into the tables; gives its id. */
export async function writeConversation(
  database: Database,
  userId: string,
  messages: number,
): Promise<string> {
  const [request] = await database.query<{ id: string }>(
    `INSERT INTO help_requests (
       id, ref_code, user_id, consumer_key_id, call_id, question, context, consumer_sign_pub_key,
       consumer_encrypt_pub_key, expires_at, status, seq, message_count, response_count)
     SELECT left(md5(random()::text), 22), left(md5(random()::text), 8), user_id, id, gen_random_uuid(),
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
