import type { Query } from '@expert-relay/db';

const recordsAtOnce = 2_000;

/** Removes the records of submits that a repetition would no longer find; gives how many. */
export async function deleteIdempotency(query: Query): Promise<number> {
  const rows = await query`
    DELETE FROM idempotency_records WHERE (api_key_id, key_digest) IN (
      SELECT api_key_id, key_digest FROM idempotency_records
      WHERE created_at < now() - interval '24 hours'
      ORDER BY created_at LIMIT ${recordsAtOnce} FOR UPDATE SKIP LOCKED)
    RETURNING 1`;
  return rows.length;
}
