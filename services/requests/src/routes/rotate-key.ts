import { defineRoute, parseBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import { z } from 'zod';
import { keyBody, keyIdFrom } from '../api-keys/key-form.ts';
import { rotateSecret } from '../api-keys/rotate-secret.ts';
import type { Context } from '../context.ts';

const expected = 'Expected a whole number of seconds from 0 to 2592000 (30 days).';

const schema = z.object({
  graceSeconds: z
    .int(expected)
    .min(0, expected)
    .max(2_592_000, expected)
    .nullish()
    .transform((value) => value ?? 86_400),
});

/** Gives a key a new secret. The old one works until the grace period is over. */
export const rotateKey = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/keys/:keyId/rotate',
    allow: ['session'],
    takesBody: 'optional',
    async handle({ principal, params, callId, body }) {
      const { graceSeconds } = parseBody(schema, body);
      const keyId = keyIdFrom(params);
      const rotated = await rotateSecret(context.prisma, {
        keyId,
        userId: principal.userId,
        callId,
        graceSeconds,
      });
      if (!rotated) throw new Problem('not_found');
      context.wakeOutbox();
      return { status: 200, body: { ...keyBody(rotated.view), key: rotated.text } };
    },
  });
