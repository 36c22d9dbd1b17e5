import { defineRoute } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Context } from '../context.ts';
import { etagOf } from './put-vault.ts';

/** The expert's encrypted root key, for a second device and the CLI. */
export const getVault = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/api/v1/vault',
    allow: ['provider', 'session'],
    async handle({ principal: { userId } }) {
      const vault = await context.prisma.vault.findUnique({ where: { userId } });
      if (!vault) throw new Problem('not_found', { detail: 'This vault is empty.' });
      const text = vault.wrappedRootSecret;
      return { status: 200, body: { vault: JSON.parse(text) }, headers: { etag: etagOf(text) } };
    },
  });
