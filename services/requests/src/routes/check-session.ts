import { sessionsFrom } from '@expert-relay/db';
import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';

/**
 * What decides whether sessions of a user are open: since when the operator has not ended them, and the identities with which they may
 * have begun. The dashboard asks before each call of a session, except the page of the web app and the sign-out.
 */
export const checkSession = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/internal/sessions/check',
    allow: ['session'],
    isQuiet: true,
    async handle({ principal: { userId } }) {
      const [user] = await context.query<{ sessionsFrom: number; identities: object[] }>`
        SELECT ${sessionsFrom} AS "sessionsFrom", ARRAY(
          SELECT json_build_object('provider', provider, 'subject', subject) FROM identities WHERE user_id = users.id
        ) AS identities
        FROM users WHERE id = ${userId}::uuid`;
      return { status: 200, body: { user: user ?? null } };
    },
  });
