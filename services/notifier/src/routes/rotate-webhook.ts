import { defineRoute, parseBody } from '@expert-relay/kit/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { webhookIdFrom } from '../endpoints/webhook-form.ts';

const expected = 'Expected a whole number of seconds from 0 to 2592000 (30 days).';

const schema = z.object({
  graceSeconds: z
    .int(expected)
    .min(0, expected)
    .max(2_592_000, expected)
    .nullish()
    .transform((value) => value ?? 86_400),
});

/** Gives a webhook a new secret. Until the grace period is over, deliveries are signed with the old one too. */
export const rotateWebhook = ({ webhooks }: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/webhooks/:webhookId/rotate',
    allow: ['consumer', 'provider'],
    takesBody: 'optional',
    async handle({ principal, params, callId, body }) {
      const { graceSeconds } = parseBody(schema, body);
      const rotation = { callId, graceSeconds };
      return { status: 200, body: await webhooks.rotate(principal, webhookIdFrom(params), rotation) };
    },
  });
