import type { Api } from '@expert-relay/contracts';
import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { ownTopics } from '../stream-tokens/check-topics.ts';

/** Describes a key, for scripts and for `relay doctor`. */
export const whoami = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/whoami',
    allow: ['consumer', 'provider'],
    async handle({ principal: { kind, apiKeyId, userId } }) {
      const { name } = await context.prisma.apiKey.findUniqueOrThrow({
        where: { id: apiKeyId },
        select: { name: true },
      });
      return {
        status: 200,
        body: {
          kind,
          name,
          userId,
          topics: kind === 'provider' ? ownTopics(userId) : [],
        } satisfies Api.Whoami,
      };
    },
  });
