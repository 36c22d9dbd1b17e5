import { defineRoute, parseBody, uuidFrom } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import { keyBody, keyName, keySelect } from '../api-keys/key-form.ts';
import type { Context } from '../context.ts';

const schema = z.object({ name: keyName });

export const renameKey = (context: Context) =>
  defineRoute({
    method: 'put',
    path: '/internal/keys/:keyId',
    allow: ['session'],
    takesBody: true,
    async handle({ principal, params, body }) {
      const { name } = parseBody(schema, body);
      const [key] = await context.prisma.apiKey.updateManyAndReturn({
        where: { id: uuidFrom(params, 'keyId'), userId: principal.userId },
        data: { name },
        select: keySelect,
      });
      if (!key) throw new Problem('not_found');
      return { status: 200, body: keyBody(key) };
    },
  });
