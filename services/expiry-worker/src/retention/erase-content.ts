import type { Query } from '@expert-relay/db';

const requestsAtOnce = 200;
/** A conversation may hold 10,000: then one of them is a batch. */
const messagesAtOnce = 2_000;

/**
 * Erases what was said in the conversations that ended longest ago, if that is longer than `retention`
 * milliseconds; gives how many. What stays is who, when and how many: the row without its texts and keys.
 */
export async function eraseContent(query: Query, retention: number): Promise<number> {
  const rows = await query`
    WITH oldest AS MATERIALIZED (
      SELECT request_id FROM request_stages
      WHERE stage = 'ended' AND at <= now() - ${retention}::float8 * interval '1 millisecond'
        AND (SELECT ended_at IS NOT NULL FROM help_requests WHERE id = request_id)
      ORDER BY at, request_id LIMIT ${requestsAtOnce}
    ),
    due AS MATERIALIZED (
      SELECT id, ended_at, message_count FROM help_requests
      WHERE id = ANY(ARRAY(SELECT request_id FROM oldest)) AND ended_at IS NOT NULL AND erased_at IS NULL
      FOR UPDATE SKIP LOCKED
    ),
    counted AS (
      SELECT id, sum(message_count) OVER (ORDER BY ended_at, id) - message_count AS before FROM due
    ),
    taken AS (SELECT id FROM counted WHERE before < ${messagesAtOnce}),
    said AS (DELETE FROM messages USING taken WHERE request_id = taken.id)
    UPDATE help_requests SET
      question = NULL, plaintext = NULL, context = '[]',
      consumer_sign_pub_key = NULL, consumer_encrypt_pub_key = NULL,
      provider_sign_pub_key = NULL, provider_encrypt_pub_key = NULL, key_signature = NULL,
      erased_at = now()
    FROM taken WHERE help_requests.id = taken.id
    RETURNING 1`;
  return rows.length;
}
