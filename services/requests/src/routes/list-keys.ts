import type { Api } from '@expert-relay/contracts';
import { defineRoute, pageSchema, parseQuery } from '@expert-relay/kit/http';
import * as z from 'zod';
import { formatKeyCursor, parseKeyCursor, readKeys } from '../api-keys/read-keys.ts';
import type { Context } from '../context.ts';

/** The first page contains all keys that are not revoked, also for clients that read no further: there are at most 100. */
const schema = z.object(pageSchema({ parseCursor: parseKeyCursor, limit: 200 }));

export const listKeys = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/internal/keys',
    allow: ['session'],
    async handle({ principal, query }) {
      const page = parseQuery(schema, query);
      const found = await readKeys(context.query, principal.userId, page);
      const keys = found.slice(0, page.limit);
      const last = found.length > page.limit ? keys.at(-1) : undefined;
      return {
        status: 200,
        body: { keys, ...(last && { next: formatKeyCursor(last) }) } satisfies Api.KeyList,
      };
    },
  });
