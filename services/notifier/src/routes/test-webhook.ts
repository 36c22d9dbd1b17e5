import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { sendTest } from '../deliveries/send-now.ts';
import { webhookIdFrom } from '../endpoints/webhook-form.ts';

export const testWebhook = ({ query, countTests, wakeDeliverer }: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/webhooks/:webhookId/test',
    allow: ['consumer', 'provider'],
    async handle({ principal, params, callId }) {
      const webhookId = webhookIdFrom(params);
      const delivery = await sendTest(query, principal, { webhookId, callId, count: countTests });
      wakeDeliverer();
      return { status: 201, body: delivery };
    },
  });
