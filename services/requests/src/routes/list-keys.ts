import { defineRoute } from '@expert-relay/kit/http';
import { keyBody, keySelect } from '../api-keys/key-form.ts';
import type { Context } from '../context.ts';

export const listKeys = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/internal/keys',
    allow: ['session'],
    async handle({ principal }) {
      const keys = await context.prisma.apiKey.findMany({
        where: { userId: principal.userId },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: keySelect,
      });
      return { status: 200, body: { keys: keys.map(keyBody) } };
    },
  });
