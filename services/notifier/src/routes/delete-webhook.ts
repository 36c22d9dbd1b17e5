import { defineRoute, uuidFrom } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';

/** Deletes a webhook with its deliveries. */
export const deleteWebhook = ({ webhooks }: Context) =>
  defineRoute({
    method: 'delete',
    path: '/api/v1/webhooks/:webhookId',
    allow: ['consumer', 'provider', 'session'],
    async handle({ principal, params }) {
      await webhooks.delete(principal, uuidFrom(params, 'webhookId'));
      return { status: 204 };
    },
  });
