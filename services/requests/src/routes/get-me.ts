import { defineRoute } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Context } from '../context.ts';

export const getMe = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/internal/me',
    allow: ['session'],
    async handle({ principal }) {
      const user = await context.prisma.user.findUnique({
        where: { id: principal.userId },
        select: { id: true, name: true, email: true },
      });
      if (!user) throw new Problem('unauthorized');
      return { status: 200, body: { userId: user.id, name: user.name, email: user.email } };
    },
  });
