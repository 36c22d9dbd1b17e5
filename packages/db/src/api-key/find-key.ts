import { timingSafeEqual } from 'node:crypto';
import type { KeyKind } from '@expert-relay/kit/api-key';
import type { Query } from '../postgres/create-query.ts';

export interface FoundKey {
  id: string;
  userId: string;
  kind: KeyKind;
}

interface Row extends FoundKey {
  digest: Uint8Array;
}

/** The key that belongs to a digest, if it works now: not revoked, not rotated away. */
export async function findKey(
  query: Query,
  given: { kind: KeyKind; digest: Buffer },
): Promise<FoundKey | undefined> {
  const [row] = await query<Row>`
    SELECT key.id, key.user_id AS "userId", key.kind, secret.secret_digest AS digest
    FROM api_key_secrets AS secret JOIN api_keys AS key ON key.id = secret.api_key_id
    WHERE secret.secret_digest = ${given.digest}
      AND key.revoked_at IS NULL
      AND (secret.expires_at IS NULL OR secret.expires_at > clock_timestamp())`;
  if (!row || row.kind !== given.kind || !timingSafeEqual(row.digest, given.digest)) return undefined;
  return { id: row.id, userId: row.userId, kind: row.kind };
}
