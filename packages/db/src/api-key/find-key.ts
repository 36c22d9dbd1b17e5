import { timingSafeEqual } from 'node:crypto';
import type { KeyKind, ParsedApiKey } from '@expert-relay/kit/api-key';
import type { KeyPrincipal } from '@expert-relay/kit/principal';
import type { Query } from '../postgres/query.ts';

interface Row {
  apiKeyId: string;
  userId: string;
  kind: KeyKind;
  digest: Uint8Array;
  /** ISO 8601. */
  createdAt: string;
  endsAt: string | null;
}

/** Finds the key of a secret, if both are valid: the key is not revoked, and the secret has not ended after a rotation. */
export async function findKey(query: Query, given: ParsedApiKey): Promise<KeyPrincipal | undefined> {
  const [row] = await query<Row>`
    SELECT key.id AS "apiKeyId", key.user_id AS "userId", key.kind, secret.secret_digest AS digest,
      secret.created_at AS "createdAt", secret.expires_at AS "endsAt"
    FROM api_key_secrets AS secret JOIN api_keys AS key ON key.id = secret.api_key_id
    WHERE secret.secret_digest = ${given.digest}
      AND key.revoked_at IS NULL
      AND (secret.expires_at IS NULL OR secret.expires_at > clock_timestamp())`;
  if (!row || row.kind !== given.kind || !timingSafeEqual(row.digest, given.digest)) return undefined;
  const { apiKeyId, userId, kind, createdAt, endsAt } = row;
  const secret = { createdAt: Date.parse(createdAt), ...(endsAt && { endsAt: Date.parse(endsAt) }) };
  return { kind, apiKeyId, userId, secret };
}
