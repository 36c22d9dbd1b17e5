import { defineRoute, pageSchema, parseQuery } from '@expert-relay/kit/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import {
  formatDeliveryCursor,
  listDeliveries as list,
  parseDeliveryCursor,
} from '../deliveries/list-deliveries.ts';
import { webhookIdFrom } from '../endpoints/webhook-form.ts';

const schema = z.object(pageSchema({ parseCursor: parseDeliveryCursor, limit: 50 }));

export const listDeliveries = ({ query }: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/webhooks/:webhookId/deliveries',
    allow: ['consumer', 'provider'],
    async handle({ principal, params, query: parameters }) {
      const page = parseQuery(schema, parameters);
      const found = await list(query, principal, { webhookId: webhookIdFrom(params), ...page });
      const deliveries = found.slice(0, page.limit);
      const last = found.length > page.limit ? deliveries.at(-1) : undefined;
      return { status: 200, body: { deliveries, ...(last && { next: formatDeliveryCursor(last) }) } };
    },
  });
