import { credentialRevokedPayload } from '@expert-relay/contracts';
import { insertEvent, type PrismaClient, sql } from '@expert-relay/db';

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
    event AS (${insertEvent({
      type: 'credential_revoked',
      payload: credentialRevokedPayload({ apiKeyId: keyId }),
      from: sql`SELECT user_id, NULL::text AS request_id, NULL::text AS ref_code, 0 AS seq FROM revoked`,
    })})
    SELECT id FROM key`;
  return found.length > 0;
}
