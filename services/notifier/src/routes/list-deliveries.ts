import { defineRoute, parseQuery } from '@expert-relay/kit/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import {
  type DeliveryCursor,
  formatDeliveryCursor,
  listDeliveries as list,
  parseDeliveryCursor,
} from '../deliveries/list-deliveries.ts';
import { webhookIdFrom } from '../endpoints/webhook-form.ts';

const expectedLimit = 'Expected a whole number from 1 to 200.';

const schema = z.object({
  after: z
    .string()
    .transform((text, context): DeliveryCursor => {
      const cursor = parseDeliveryCursor(text);
      if (cursor) return cursor;
      context.addIssue('Expected the `next` of the page before.');
      return z.NEVER;
    })
    .optional(),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, expectedLimit)
    .transform(Number)
    .pipe(z.number().min(1, expectedLimit).max(200, expectedLimit))
    .default(50),
});

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
