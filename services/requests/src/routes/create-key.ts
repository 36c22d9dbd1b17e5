import type { Api } from '@expert-relay/contracts';
import { defineRoute, parseBody } from '@expert-relay/kit/http';
import * as z from 'zod';
import { insertKeys } from '../api-keys/insert-keys.ts';
import { keyBody, keyName } from '../api-keys/key-form.ts';
import type { Context } from '../context.ts';

const schema = z.object({
  name: keyName,
  kind: z.enum(['consumer', 'provider'], { error: 'Expected consumer or provider.' }),
});

/** Only this response and that of a rotation contain a key in full. */
export const createKey = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/keys',
    allow: ['session'],
    takesBody: true,
    async handle({ principal, callId, body }) {
      const { name, kind } = parseBody(schema, body);
      const { userId } = principal;
      const [created] = await insertKeys(context.prisma, [{ userId, kind, name, callId }]);
      if (!created) throw new Error('the key was not created');
      return { status: 201, body: { ...keyBody(created.view), key: created.text } satisfies Api.NewKey };
    },
  });
