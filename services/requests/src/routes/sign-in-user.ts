import { defineRoute, parseBody } from '@expert-relay/kit/http';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { findOrCreateUser } from '../users/identities.ts';

const text = z.string().min(1).max(320);

const optionalText = text.nullish().transform((value) => value ?? undefined);

export const signInSchema = z.object({
  provider: text,
  subject: text,
  name: text,
  label: optionalText,
  email: optionalText,
});

/** For the dashboard, after a provider has confirmed the identity of a user who may sign in. */
export const signInUser = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/users/sign-in',
    allow: ['signin'],
    takesBody: true,
    async handle({ body }) {
      return { status: 200, body: await findOrCreateUser(context.prisma, parseBody(signInSchema, body)) };
    },
  });
