import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';

export const listIdentities = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/internal/identities',
    allow: ['session'],
    async handle({ principal: { userId } }) {
      const identities = await context.prisma.identity.findMany({
        where: { userId },
        orderBy: [{ createdAt: 'asc' }, { provider: 'asc' }],
        select: { provider: true, label: true, createdAt: true },
      });
      return { status: 200, body: { identities } };
    },
  });
