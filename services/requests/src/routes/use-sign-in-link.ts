import { defineRoute, parseBody } from '@expert-relay/kit/http';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { findLinkUser, useSignInLink as use } from '../users/sign-in-link.ts';

const schema = z.object({ token: z.string().min(1).max(100) });

/** For the dashboard, which names the user of a link before the link is used. */
export const findSignInLink = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/sign-in-links/find',
    allow: ['signin'],
    takesBody: true,
    async handle({ body }) {
      const { token } = parseBody(schema, body);
      return { status: 200, body: { user: (await findLinkUser(context.prisma, token)) ?? null } };
    },
  });

/** For the dashboard, when a person uses a link that the admin command has printed. */
export const useSignInLink = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/sign-in-links/use',
    allow: ['signin'],
    takesBody: true,
    async handle({ body, callId }) {
      const link = await use(context.prisma, { ...parseBody(schema, body), callId });
      if (link) context.log.info({ userId: link.userId, linkId: link.linkId }, 'a sign-in link was used');
      return { status: 200, body: { link: link ?? null } };
    },
  });
