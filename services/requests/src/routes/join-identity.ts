import { defineRoute, parseBody } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { joinIdentity as join } from '../users/identities.ts';
import { signInSchema } from './sign-in-user.ts';

/** For the dashboard, after a provider has confirmed another identity of a user who is signed in. */
export const joinIdentity = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/identities',
    allow: ['session'],
    takesBody: true,
    async handle({ principal, body }) {
      const { provider, subject, label } = parseBody(signInSchema, body);
      const result = await join(context.prisma, principal.userId, {
        provider,
        subject,
        label: label ?? null,
      });
      return { status: 200, body: { result } };
    },
  });
