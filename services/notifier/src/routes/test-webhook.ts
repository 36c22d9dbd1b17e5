import { defineRoute, uuidFrom } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { sendTest } from '../deliveries/send-now.ts';
import { managedBy } from '../endpoints/webhook-form.ts';

export const testWebhook = ({ query, sealer, countTests, wakeDeliverer }: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/webhooks/:webhookId/test',
    allow: ['consumer', 'provider', 'session'],
    async handle({ principal, params, callId }) {
      const delivery = await sendTest(query, {
        endpointId: uuidFrom(params, 'webhookId'),
        userId: principal.userId,
        isOwn: managedBy(principal),
        off: 'webhook_off',
        type: 'webhook.test',
        callId,
        count: countTests,
        sealer,
      });
      wakeDeliverer();
      return { status: 201, body: delivery };
    },
  });
