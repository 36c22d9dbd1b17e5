import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { sendAgain } from '../deliveries/send-now.ts';
import { webhookIdFrom } from '../endpoints/webhook-form.ts';

export const resendDelivery = ({ query, countTests, wakeDeliverer }: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/webhooks/:webhookId/deliveries/:deliveryId/resend',
    allow: ['consumer', 'provider'],
    async handle({ principal, params }) {
      const webhookId = webhookIdFrom(params);
      const deliveryId = params.deliveryId ?? '';
      const delivery = await sendAgain(query, principal, { webhookId, deliveryId, count: countTests });
      wakeDeliverer();
      return { status: 200, body: delivery };
    },
  });
