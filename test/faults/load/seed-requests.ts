import { randomBytes } from 'node:crypto';
import type { Database } from '../environment/database.ts';

/** Many requests, which all expire at about the same time. */
export interface SeededRequests {
  readonly count: number;
  /** When the first expires, on the timeline, and the time from there until the last expires. */
  readonly expireAt: number;
  readonly spread: number;
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Writes requests into the table, since ten thousand submits would take too long. They have no `new_request` event, only
 * the event of their end.
 */
export async function seedRequests(
  database: Database,
  userId: string,
  { count, spread }: SeededRequests,
  expireIn: number,
): Promise<void> {
  const ids = Array.from({ length: count }, () => randomBytes(16).toString('base64url'));
  const refCodes = ids.map(() => Array.from(randomBytes(8), (byte) => alphabet[byte % 32]).join(''));
  await database.query(
    `INSERT INTO help_requests (id, ref_code, user_id, consumer_key_id, context, call_id, expires_at)
     SELECT row.id, row.ref_code, key.user_id, key.id, '[]', gen_random_uuid(),
       now() + ($4 + $5 * (position - 1) / $6) * interval '1 millisecond'
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS row (id, ref_code, position),
       (SELECT id, user_id FROM api_keys WHERE user_id = $3 AND kind = 'consumer' LIMIT 1) AS key`,
    [ids, refCodes, userId, expireIn, spread, count],
  );
}
