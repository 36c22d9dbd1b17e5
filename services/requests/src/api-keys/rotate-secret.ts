import type { PrismaClient } from '@expert-relay/db';
import { makeApiKey } from '@expert-relay/kit/api-key';
import { Problem } from '@expert-relay/kit/problem';
import { revocationParts } from '../revocation-parts.ts';
import { type KeyView, keySelect } from './key-form.ts';

/**
 * Gives a key a new secret, in several statements under one lock, since a second rotation must see the secret of the first
 * one. A repeated call replaces the secret that it made before, since the response with that secret did not arrive.
 */
export function rotateSecret(
  prisma: PrismaClient,
  {
    keyId,
    userId,
    callId,
    graceSeconds,
  }: { keyId: string; userId: string; callId: string; graceSeconds: number },
): Promise<{ view: KeyView; text: string } | undefined> {
  return prisma.$transaction(async (transaction) => {
    const [key] = await transaction.$queryRaw<{ kind: 'consumer' | 'provider'; revoked: boolean }[]>`
      SELECT kind, revoked_at IS NOT NULL AS revoked FROM api_keys
      WHERE id = ${keyId}::uuid AND user_id = ${userId}::uuid
      FOR UPDATE`;
    if (!key) return undefined;
    if (key.revoked) throw new Problem('key_revoked');
    // Read under the lock, so that the second of two rotations has the later time.
    const [{ now }] = await transaction.$queryRaw<[{ now: Date }]>`SELECT clock_timestamp() AS now`;
    const endsAt = new Date(now.getTime() + 1_000 * graceSeconds);

    const { text, digest, lastFour } = makeApiKey(key.kind);
    await transaction.$executeRaw`
      WITH replaced AS (
        UPDATE api_key_secrets
        SET expires_at = LEAST(expires_at, ${endsAt}::timestamptz)
        WHERE api_key_id = ${keyId}::uuid AND call_id <> ${callId}::uuid
      ),
      created AS (
        INSERT INTO api_key_secrets (secret_digest, api_key_id, call_id, created_at)
        VALUES (${digest}, ${keyId}::uuid, ${callId}::uuid, ${now}::timestamptz)
        ON CONFLICT (call_id) DO UPDATE
        SET secret_digest = EXCLUDED.secret_digest, created_at = EXCLUDED.created_at
      ),
      ${revocationParts(
        { apiKeyId: keyId, rotation: { secretsBefore: now.getTime(), endsAt: endsAt.getTime() } },
        userId,
      )}
      UPDATE api_keys SET last_four = ${lastFour} WHERE id = ${keyId}::uuid`;
    return {
      view: await transaction.apiKey.findUniqueOrThrow({ where: { id: keyId }, select: keySelect }),
      text,
    };
  });
}
