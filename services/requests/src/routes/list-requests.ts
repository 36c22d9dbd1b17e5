import { defineRoute, formatCursor, pageSchema, parseCursor, parseQuery } from '@expert-relay/kit/http';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { filterSchema } from '../list/filter.ts';
import { isScan, listedBody, readPage } from '../list/read-page.ts';

const schema = z.object({
  ...filterSchema,
  q: z
    .string()
    .max(200, 'Expected at most 200 characters.')
    .optional()
    .transform((text) => text || undefined),
  ...pageSchema({ parseCursor: (text) => parseCursor(text, /^[\w-]{22}$/), limit: 50 }),
  content: z
    .enum(['true', 'false'], { error: 'Expected true or false.' })
    .transform((text) => text === 'true')
    .optional(),
});

/** Lists requests: all of the user for a provider key and a session, its own for a consumer key. */
export const listRequests = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/requests',
    allow: ['consumer', 'provider', 'session'],
    isHeavy: ({ principal, query }) => isScan(principal, query),
    async handle({ principal, query }) {
      const listing = parseQuery(schema, query);
      const { rows, end } = await readPage(context.query, principal, listing);
      return {
        status: 200,
        body: { requests: rows.map(listedBody), ...(end && { next: formatCursor(end) }) },
      };
    },
  });
