import type { Api } from '@expert-relay/contracts';
import { defineRoute } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Context } from '../context.ts';
import { ownTopics } from '../stream-tokens/check-topics.ts';

/** Describes a key, for scripts and for `relay doctor`. */
export const whoami = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/whoami',
    allow: ['consumer', 'provider'],
    async handle({ principal: { kind, apiKeyId, userId } }) {
      const [key] = await context.query<{ name: string }>`
        SELECT name FROM api_keys WHERE id = ${apiKeyId}::uuid`;
      // The user was erased after the gateway had accepted the key.
      if (!key) throw new Problem('unauthorized');
      return {
        status: 200,
        body: {
          kind,
          name: key.name,
          userId,
          topics: kind === 'provider' ? ownTopics(userId) : [],
        } satisfies Api.Whoami,
      };
    },
  });
