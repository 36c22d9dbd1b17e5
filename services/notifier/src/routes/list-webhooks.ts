import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';

export const listWebhooks = ({ webhooks }: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/webhooks',
    allow: ['consumer', 'provider', 'session'],
    async handle({ principal }) {
      return { status: 200, body: { webhooks: await webhooks.list(principal) } };
    },
  });
