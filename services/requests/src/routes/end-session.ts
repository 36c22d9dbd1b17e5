import { defineRoute, parseBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { revocationParts } from '../revocation-parts.ts';

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
      // First, and alone: a subscription whose row is locked must not delay the event.
      await context.query`WITH ${revocationParts({ sessionId }, userId)} SELECT 1`;
      context.wakeOutbox();
      if (signedOut && !(await removeSubscriptions(context, principal))) throw new Problem('unavailable');
      return { status: 204 };
    },
  });

/** False if a subscription is locked, which is left to the next call. */
function removeSubscriptions(
  { prisma }: Context,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    // A registration holds this lock. It is either finished, so that the next statement sees it, or will find the session ended.
    await transaction.$queryRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR NO KEY UPDATE`;
    const [subscriptions] = await transaction.$queryRaw<{ areDone: boolean }[]>`
      WITH free AS MATERIALIZED (
        SELECT id FROM notification_endpoints WHERE session_id = ${sessionId}::uuid FOR UPDATE SKIP LOCKED
      ),
      removed AS (DELETE FROM notification_endpoints WHERE id IN (SELECT id FROM free))
      SELECT count(*) = (SELECT count(*) FROM free) AS "areDone"
      FROM notification_endpoints WHERE session_id = ${sessionId}::uuid`;
    return subscriptions?.areDone === true;
  });
}
