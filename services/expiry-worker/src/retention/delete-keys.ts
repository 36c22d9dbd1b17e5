import type { Query } from '@expert-relay/db';

const rowsAtOnce = 500;

/** Removes the digests of secrets that stopped working longer than `retention` milliseconds ago; gives how many. */
export async function deleteSecrets(query: Query, retention: number): Promise<number> {
  const rows = await query`
    DELETE FROM api_key_secrets WHERE secret_digest IN (
      SELECT secret_digest FROM api_key_secrets JOIN api_keys ON api_keys.id = api_key_id
      WHERE LEAST(expires_at, revoked_at) <= now() - ${retention}::float8 * interval '1 millisecond'
      LIMIT ${rowsAtOnce} FOR UPDATE OF api_key_secrets SKIP LOCKED)
    RETURNING 1`;
  return rows.length;
}

/** Removes keys that were revoked longer than `retention` milliseconds ago and have no request any more; gives how many. */
export async function deleteKeys(query: Query, retention: number): Promise<number> {
  const rows = await query`
    DELETE FROM api_keys WHERE id IN (
      SELECT id FROM api_keys
      WHERE revoked_at <= now() - ${retention}::float8 * interval '1 millisecond'
        AND NOT EXISTS (SELECT 1 FROM help_requests WHERE consumer_key_id = api_keys.id)
      LIMIT ${rowsAtOnce} FOR UPDATE SKIP LOCKED)
    RETURNING 1`;
  return rows.length;
}
