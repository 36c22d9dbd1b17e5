import { defineRoute, parseQuery } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { etagOf } from './put-vault.ts';

const schema = z.object({
  optional: z.enum(['true', 'false'], { error: 'Expected true or false.' }).optional(),
});

/** The expert's encrypted root key, for a second device and the CLI. */
export const getVault = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/vault',
    allow: ['provider', 'session'],
    async handle({ principal: { userId }, query }) {
      const { optional } = parseQuery(schema, query);
      const vault = await context.prisma.vault.findUnique({ where: { userId } });
      // Browsers log each 404 as an error.
      if (!vault && optional === 'true') return { status: 204 };
      if (!vault) throw new Problem('not_found', { detail: 'This vault is empty.' });
      const text = vault.wrappedRootSecret;
      return { status: 200, body: { vault: JSON.parse(text) }, headers: { etag: etagOf(text) } };
    },
  });
