import { defineRoute } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Context } from '../context.ts';
import { removeIdentity as remove } from '../users/identities.ts';

/** `?usable=` lists the providers that the dashboard offers, since only their identities can be used to sign in. */
export const removeIdentity = (context: Context) =>
  defineRoute({
    method: 'delete',
    path: '/internal/identities/:provider',
    allow: ['session'],
    async handle({ principal, params, query }) {
      const { provider = '' } = params;
      const usable = (query.get('usable') ?? '').split(',');
      const result = await remove(context.prisma, principal.userId, { provider, usable });
      if (result === 'unknown') throw new Problem('not_found');
      if (result === 'last') throw new Problem('last_identity');
      return { status: 204 };
    },
  });
