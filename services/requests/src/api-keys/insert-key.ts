import type { PrismaClient } from '@expert-relay/db';
import { type KeyKind, makeApiKey } from '@expert-relay/kit/api-key';
import { Problem } from '@expert-relay/kit/problem';
import type { KeyView } from './key-form.ts';

/**
 * Creates a key. A repeated call gives its key a new secret, since the answer with the first secret did not arrive.
 */
export async function insertKey(
  prisma: PrismaClient,
  key: { userId: string; kind: KeyKind; name: string; callId: string },
): Promise<{ view: KeyView; text: string }> {
  const { text, digest, lastFour } = makeApiKey(key.kind);
  const [view] = await prisma.$queryRaw<KeyView[]>`
    WITH created AS (
      INSERT INTO api_keys (user_id, kind, name, last_four, call_id)
      SELECT id, ${key.kind}::key_kind, ${key.name}, ${lastFour}, ${key.callId}::uuid
      FROM users WHERE id = ${key.userId}::uuid
      ON CONFLICT (call_id) DO UPDATE SET last_four = EXCLUDED.last_four
      RETURNING *
    ),
    secret AS (
      INSERT INTO api_key_secrets (secret_digest, api_key_id, call_id)
      SELECT ${digest}, id, call_id FROM created
      ON CONFLICT (call_id) DO UPDATE SET secret_digest = EXCLUDED.secret_digest
    )
    SELECT id, kind, name, last_four AS "lastFour", created_at AS "createdAt",
      last_used_at AS "lastUsedAt", revoked_at AS "revokedAt"
    FROM created`;
  // The user was erased while one of its sessions still existed.
  if (!view)
    throw new Problem('unauthorized', { detail: 'This account was erased. Sign in to create a new one.' });
  return { view, text };
}
