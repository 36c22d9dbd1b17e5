import { defineRoute, parseBody, uuidFrom } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { changedWebhookSchema } from '../endpoints/webhook-form.ts';

/** Changes what the body names. A webhook that is switched on gets the events from then on. */
export const changeWebhook = ({ webhooks, rules }: Context) =>
  defineRoute({
    method: 'put',
    path: '/api/v1/webhooks/:webhookId',
    allow: ['consumer', 'provider', 'session'],
    takesBody: true,
    async handle({ principal, params, body }) {
      const change = parseBody(changedWebhookSchema(rules), body);
      const changed = await webhooks.change(principal, uuidFrom(params, 'webhookId'), change);
      return { status: 200, body: changed };
    },
  });
