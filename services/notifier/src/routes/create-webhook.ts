import { defineRoute, parseBody } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { newWebhookSchema } from '../endpoints/webhook-form.ts';

/** Only this response and that of a rotation contain the secret. */
export const createWebhook = ({ webhooks, rules }: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/webhooks',
    allow: ['consumer', 'provider', 'session'],
    takesBody: true,
    async handle({ principal, callId, body }) {
      const webhook = parseBody(newWebhookSchema(rules), body);
      const created = await webhooks.insert(principal, { id: callId, ...webhook });
      return { status: 201, body: created };
    },
  });
