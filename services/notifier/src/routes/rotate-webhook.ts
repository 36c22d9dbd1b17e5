import { defineRoute, parseBody, rotationSchema, uuidFrom } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';

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
      return { status: 200, body: await webhooks.rotate(principal, uuidFrom(params, 'webhookId'), rotation) };
    },
  });
