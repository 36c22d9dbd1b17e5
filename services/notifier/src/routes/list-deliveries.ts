import { defineRoute, parseQuery, uuidFrom } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { deliveriesPage, deliveriesQuery } from '../deliveries/deliveries-page.ts';
import { managedBy } from '../endpoints/webhook-form.ts';

export const listDeliveries = ({ query }: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/webhooks/:webhookId/deliveries',
    allow: ['consumer', 'provider', 'session'],
    async handle({ principal, params, query: parameters }) {
      const page = parseQuery(deliveriesQuery, parameters);
      const endpointId = uuidFrom(params, 'webhookId');
      return {
        status: 200,
        body: await deliveriesPage(query, managedBy(principal), { endpointId, ...page }),
      };
    },
  });
