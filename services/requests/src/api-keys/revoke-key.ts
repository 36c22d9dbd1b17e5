import { type PrismaClient, type Query, sql } from '@expert-relay/db';
import { revocationParts } from '../revocation-parts.ts';

/** Revokes a key with all its secrets, and inserts one event. Returns whether the user has this key. */
export async function revokeKey(
  prisma: PrismaClient,
  { keyId, userId }: { keyId: string; userId: string },
): Promise<boolean> {
  const found = await prisma.$queryRaw<unknown[]>`
    WITH key AS (
      SELECT id, user_id, revoked_at FROM api_keys
      WHERE id = ${keyId}::uuid AND user_id = ${userId}::uuid
      FOR UPDATE
    ),
    revoked AS (
      UPDATE api_keys SET revoked_at = clock_timestamp() FROM key
      WHERE api_keys.id = key.id AND key.revoked_at IS NULL
      RETURNING api_keys.user_id
    ),
    ${revocationParts({ apiKeyId: keyId }, sql`SELECT user_id FROM revoked`)}
    SELECT id FROM key`;
  return found.length > 0;
}

const keptRevokedKeys = 1_000;
/** Keys per statement. */
const deletedKeys = 500;

/**
 * Deletes the keys of a user that were revoked first, until 1,000 are left. Keys with requests stay, since their requests would
 * be deleted too. So do keys that were revoked in the last ten minutes: a call that was accepted before may still submit.
 */
export async function deleteOldestRevoked(query: Query, userId: string): Promise<void> {
  await query`
    DELETE FROM api_keys WHERE id IN (
      SELECT id FROM (
        SELECT id, revoked_at FROM api_keys WHERE user_id = ${userId}::uuid AND revoked_at IS NOT NULL
        ORDER BY revoked_at DESC, id DESC OFFSET ${keptRevokedKeys}::int) AS oldest
      WHERE revoked_at < now() - interval '10 minutes'
        AND NOT EXISTS (SELECT 1 FROM help_requests WHERE consumer_key_id = oldest.id)
      ORDER BY revoked_at, id LIMIT ${deletedKeys}::int)`;
}
