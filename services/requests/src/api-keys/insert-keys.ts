import type { Prisma, PrismaClient } from '@expert-relay/db';
import { type KeyKind, makeApiKey } from '@expert-relay/kit/api-key';
import { Problem } from '@expert-relay/kit/problem';
import { erasedUser } from '../users/erased-user.ts';
import type { KeyView } from './key-form.ts';

/** Keys of a user that are not revoked, of both kinds together. */
export const maxKeys = 100;

interface NewKey {
  readonly userId: string;
  readonly kind: KeyKind;
  readonly name: string;
  readonly callId: string;
}

interface CreatedKey {
  readonly view: KeyView;
  /** The only copy of the key. */
  readonly text: string;
}

/** Creates keys of one user, all or none of them. */
export const insertKeys = (prisma: PrismaClient, keys: readonly NewKey[]): Promise<CreatedKey[]> =>
  prisma.$transaction(
    async (transaction) => {
      const created: CreatedKey[] = [];
      for (const key of keys) created.push(await insertKey(transaction, key));
      return created;
    },
    { maxWait: 10_000, timeout: 60_000 },
  );

/**
 * Creates a key. A repeated call gives its key a new secret, since the response with the first secret did not arrive.
 */
async function insertKey(transaction: Prisma.TransactionClient, key: NewKey): Promise<CreatedKey> {
  // Creations of one user run one after the other, so that each sees the keys of the others. Submits refer to the user's row
  // and do not wait for this lock.
  const [user] = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM users WHERE id = ${key.userId}::uuid FOR NO KEY UPDATE`;
  if (!user) throw erasedUser();
  const others = { userId: key.userId, revokedAt: null, callId: { not: key.callId } };
  if ((await transaction.apiKey.count({ where: others })) >= maxKeys) throw new Problem('too_many_keys');

  const { text, digest, lastFour } = makeApiKey(key.kind);
  const [view] = await transaction.$queryRaw<KeyView[]>`
    WITH created AS (
      INSERT INTO api_keys (user_id, kind, name, last_four, call_id)
      VALUES (${key.userId}::uuid, ${key.kind}::key_kind, ${key.name}, ${lastFour}, ${key.callId}::uuid)
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
  if (!view) throw new Error('the key was not created');
  return { view, text };
}
