import { credentialRevokedPayload } from '@expert-relay/contracts';
import { insertEvent, Prisma } from '@expert-relay/db';
import { defineRoute } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import { keyIdFrom } from '../api-keys/key-id-from.ts';
import type { Context } from '../context.ts';

/** Ends a key with all its secrets, and within seconds every stream that rests on it. */
export const revokeKey = (context: Context) =>
  defineRoute({
    method: 'delete',
    path: '/internal/keys/:keyId',
    allow: ['session'],
    async handle({ principal, params }) {
      const keyId = keyIdFrom(params);
      const found = await context.prisma.$queryRaw<unknown[]>`
        WITH key AS (
          SELECT id, user_id, revoked_at FROM api_keys
          WHERE id = ${keyId}::uuid AND user_id = ${principal.userId}::uuid
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
          from: Prisma.sql`SELECT user_id, NULL::text AS request_id, NULL::text AS ref_code, 0 AS seq FROM revoked`,
        })})
        SELECT id FROM key`;
      if (found.length === 0) throw new Problem('not_found');
      context.nudge();
      return { status: 204 };
    },
  });
