import { defineRoute, uuidFrom } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import { deleteOldestRevoked, revokeKey as revoke } from '../api-keys/revoke-key.ts';
import type { Context } from '../context.ts';

/** Revokes a key. The streams that use it end within seconds. */
export const revokeKey = (context: Context) =>
  defineRoute({
    method: 'delete',
    path: '/internal/keys/:keyId',
    allow: ['session'],
    async handle({ principal, params }) {
      const key = { keyId: uuidFrom(params, 'keyId'), userId: principal.userId };
      if (!(await revoke(context.prisma, key))) throw new Problem('not_found');
      context.wakeOutbox();
      await deleteOldestRevoked(context.query, principal.userId);
      return { status: 204 };
    },
  });
