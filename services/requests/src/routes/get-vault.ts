import { defineRoute, parseQuery } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Context } from '../context.ts';
import { readSealed, sealedQuery } from '../sealed/sealed-value.ts';

/** The expert's encrypted root key, for a second device and the CLI. */
export const getVault = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/vault',
    allow: ['provider', 'session'],
    async handle({ principal: { userId }, query }) {
      const { optional } = parseQuery(sealedQuery, query);
      const found = await readSealed(context, { userId, name: 'vault' });
      if (found) return { status: 200, body: { vault: found.value }, headers: found.headers };
      // Browsers log each 404 as an error.
      if (optional === 'true') return { status: 204 };
      throw new Problem('not_found', { detail: 'This vault is empty.' });
    },
  });
