import { defineRoute } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Context } from '../context.ts';
import { ownTopics } from '../stream-tokens/check-topics.ts';

/** Describes the user of a session. The dashboard adds the hub's address. */
export const getMe = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/internal/me',
    allow: ['session'],
    async handle({ principal: { userId } }) {
      const user = await context.prisma.user.findUnique({
        where: { id: userId },
        select: {
          name: true,
          email: true,
          identities: { select: { provider: true, createdAt: true }, orderBy: { createdAt: 'asc' } },
        },
      });
      if (!user) throw new Problem('unauthorized');
      return { status: 200, body: { userId, ...user, topics: ownTopics(userId) } };
    },
  });
