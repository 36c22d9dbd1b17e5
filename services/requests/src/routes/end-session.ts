import { defineRoute, parseBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { insertRevocation } from '../insert-revocation.ts';

const schema = z.object({ signedOut: z.boolean() });

/**
 * Records that a session has ended, so that its streams end within seconds. After a sign-out the browser's push subscription is removed.
 * After a time limit it stays, since it is for people who have no open page; from `session_ends_at` on it shows no question.
 */
export const endSession = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/sessions/end',
    allow: ['session'],
    takesBody: true,
    async handle({ principal, body }) {
      const { signedOut } = parseBody(schema, body);
      const { userId, sessionId } = principal;
      // A subscription whose row is locked must not delay the event, and is left to the next call.
      const [subscriptions] = await context.query<{ areDone: boolean }>`
        WITH ${insertRevocation({ sessionId }, userId)},
        free AS MATERIALIZED (
          SELECT id FROM notification_endpoints
          WHERE ${signedOut} AND session_id = ${sessionId}::uuid FOR UPDATE SKIP LOCKED
        ),
        removed AS (DELETE FROM notification_endpoints WHERE id IN (SELECT id FROM free))
        SELECT count(*) = (SELECT count(*) FROM free) AS "areDone"
        FROM notification_endpoints WHERE ${signedOut} AND session_id = ${sessionId}::uuid`;
      context.wakeOutbox();
      if (!subscriptions?.areDone) throw new Problem('unavailable');
      return { status: 204 };
    },
  });
