import type { Api } from '@expert-relay/contracts';
import { defineRoute, parseBody, rotationSchema, uuidFrom } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import { keyBody } from '../api-keys/key-form.ts';
import { rotateSecret } from '../api-keys/rotate-secret.ts';
import type { Context } from '../context.ts';

/** Gives a key a new secret. The old one works until the grace period is over. */
export const rotateKey = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/keys/:keyId/rotate',
    allow: ['session'],
    takesBody: 'optional',
    async handle({ principal, params, callId, body }) {
      const { graceSeconds } = parseBody(rotationSchema, body);
      const keyId = uuidFrom(params, 'keyId');
      const rotated = await rotateSecret(context.prisma, {
        keyId,
        userId: principal.userId,
        callId,
        graceSeconds,
      });
      if (!rotated) throw new Problem('not_found');
      context.wakeOutbox();
      return { status: 200, body: { ...keyBody(rotated.view), key: rotated.text } satisfies Api.NewKey };
    },
  });
