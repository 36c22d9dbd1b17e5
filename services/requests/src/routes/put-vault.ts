import { createHash } from 'node:crypto';
import { defineRoute, parseBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { erasedUser } from '../users/erased-user.ts';

const expected = 'Expected JSON of up to 8 KB.';

const schema = z.object({
  vault: z
    .unknown()
    .refine((value) => value !== undefined && value !== null, { error: 'This member is required.' })
    .transform((value) => JSON.stringify(value))
    .refine((text) => Buffer.byteLength(text ?? '') <= 8192, { error: expected }),
});

/** A caller replaces an existing vault only after reading it, since a lost root key cannot be recovered. */
export const putVault = (context: Context) =>
  defineRoute({
    method: 'put',
    path: '/api/v1/vault',
    allow: ['provider', 'session'],
    takesBody: true,
    async handle({ principal: { userId }, headers, body }) {
      const text = parseBody(schema, body).vault;
      const ifMatch = headers['if-match'] as string | undefined;
      const isFirst = ifMatch === undefined;
      const [put] = await context.prisma.$queryRaw<{ created: boolean }[]>`
        INSERT INTO vaults AS vault (user_id, wrapped_root_secret)
        SELECT id, ${text} FROM users
        WHERE id = ${userId}::uuid AND (${isFirst} OR EXISTS (SELECT 1 FROM vaults WHERE user_id = ${userId}::uuid))
        ON CONFLICT (user_id) DO UPDATE
          SET wrapped_root_secret = EXCLUDED.wrapped_root_secret, updated_at = clock_timestamp()
          WHERE '"' || encode(sha256(convert_to(vault.wrapped_root_secret, 'UTF8')), 'hex') || '"' = ANY(${etagsIn(ifMatch)}::text[])
        RETURNING xmax = 0 AS created`;
      if (!put) {
        if ((await context.prisma.user.count({ where: { id: userId } })) === 0) throw erasedUser();
        throw new Problem(isFirst ? 'precondition_required' : 'precondition_failed');
      }
      return { status: put.created ? 201 : 200, body: {}, headers: { etag: etagOf(text) } };
    },
  });

/** The strong ones of a list of ETags. `*` is none: it names no vault that the caller has read. */
const etagsIn = (ifMatch = ''): string[] =>
  ifMatch
    .split(',')
    .map((one) => one.trim())
    .filter((one) => /^"[^"]*"$/.test(one));

/** The strong ETag of a vault's text. */
export const etagOf = (text: string): string => `"${createHash('sha256').update(text).digest('hex')}"`;
