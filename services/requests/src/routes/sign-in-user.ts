import { defineRoute, parseBody } from '@expert-relay/kit/http';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { findOrMakeUser } from '../users/find-or-make-user.ts';

const text = z.string().min(1).max(320);

const schema = z.object({
  provider: text,
  subject: text,
  name: text,
  email: text.nullish().transform((value) => value ?? undefined),
});

/** For the dashboard, once a provider has vouched for somebody who may sign in. */
export const signInUser = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/users/sign-in',
    allow: ['signin'],
    takesBody: true,
    async handle({ body }) {
      return { status: 200, body: await findOrMakeUser(context.prisma, parseBody(schema, body)) };
    },
  });
