import { sessionClockToleranceMs } from '@expert-relay/contracts';
import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';

/**
 * Whether a session may still be used: its user exists, and the operator has not ended it. The dashboard asks before each call of
 * a session.
 */
export const checkSession = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/internal/sessions/check',
    allow: ['session'],
    isQuiet: true,
    async handle({ principal: { userId, begunAt } }) {
      const users = await context.query`
        SELECT FROM users WHERE id = ${userId}::uuid
          AND (sessions_ended_at IS NULL
            OR sessions_ended_at <= to_timestamp(${(begunAt - sessionClockToleranceMs) / 1_000}::float8))`;
      return { status: 200, body: { isValid: users.length > 0 } };
    },
  });
