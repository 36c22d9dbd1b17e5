import { defineRoute, uuidFrom } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { sendAgain } from '../deliveries/send-now.ts';
import { managedBy } from '../endpoints/webhook-form.ts';

export const resendDelivery = ({ query, sealer, countTests, wakeDeliverer }: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/webhooks/:webhookId/deliveries/:deliveryId/resend',
    allow: ['consumer', 'provider', 'session'],
    async handle({ principal, params }) {
      const delivery = await sendAgain(query, {
        endpointId: uuidFrom(params, 'webhookId'),
        userId: principal.userId,
        isOwn: managedBy(principal),
        off: 'webhook_off',
        deliveryId: params.deliveryId ?? '',
        count: countTests,
        sealer,
      });
      wakeDeliverer();
      return { status: 200, body: delivery };
    },
  });
