import type { ServerResponse } from 'node:http';
import type { Party } from '@expert-relay/db';
import {
  defineRoute,
  formatCursor,
  limitPerUser,
  pageSchema,
  parseCursor,
  parseQuery,
  queuePerUser,
} from '@expert-relay/kit/http';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { filterSchema } from '../list/filter.ts';
import { isScan, listedBody, readPage } from '../list/read-page.ts';

/** The scans of one user that run or wait at the same time. */
const scansAtOnce = 4;

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

/** Lists requests, newest first: all of the user for a provider key and a session, its own for a consumer key. */
export const listRequests = (context: Context) => {
  const beginScan = limitPerUser(scansAtOnce, 'searches and filtered lists');
  const takeTurn = queuePerUser(1);

  /**
   * Runs the scans of a user one after another. Each is work for a connection to Postgres, up to a quarter of a second long, and
   * four of them at once delay the statements of all other users on a server with few cores.
   */
  async function scan<T>(principal: Party, response: ServerResponse, read: () => Promise<T>): Promise<T> {
    const end = beginScan(principal);
    try {
      const endTurn = await takeTurn(principal, response);
      return await read().finally(endTurn);
    } finally {
      end();
    }
  }

  return defineRoute({
    method: 'get',
    path: '/api/v1/requests',
    allow: ['consumer', 'provider', 'session'],
    async handle({ principal, query }, response) {
      const listing = parseQuery(schema, query);
      const read = () => readPage(context.query, principal, listing);
      const { rows, hasMore } = await (isScan(principal, listing) ? scan(principal, response, read) : read());
      const last = hasMore ? rows.at(-1) : undefined;
      return {
        status: 200,
        body: { requests: rows.map(listedBody), ...(last && { next: formatCursor(last) }) },
      };
    },
  });
};
