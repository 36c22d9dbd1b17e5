import { defineRoute, parseBody, rotationSchema } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { webhookIdFrom } from '../endpoints/webhook-form.ts';

/** Gives a webhook a new secret. Until the grace period is over, deliveries are signed with the old one too. */
export const rotateWebhook = ({ webhooks }: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/webhooks/:webhookId/rotate',
    allow: ['consumer', 'provider', 'session'],
    takesBody: 'optional',
    async handle({ principal, params, callId, body }) {
      const { graceSeconds } = parseBody(rotationSchema, body);
      const rotation = { callId, graceSeconds };
      return { status: 200, body: await webhooks.rotate(principal, webhookIdFrom(params), rotation) };
    },
  });
