import { type Query, sql } from '@expert-relay/db';
import { lockedInOrder } from '../endpoints/endpoint-rows.ts';
import type { EndedSession } from './facts.ts';

/**
 * Removes the push subscriptions of browsers that were signed out. One whose session was not used for too long still notifies,
 * which is what it is for, but without questions.
 */
export async function endSessions(query: Query, ended: readonly EndedSession[]): Promise<void> {
  const idsOf = (isSignedOut: boolean) =>
    ended.filter((session) => session.isSignedOut === isSignedOut).map(({ sessionId }) => sessionId);
  const [signedOut, over] = [idsOf(true), idsOf(false)];
  if (signedOut.length > 0)
    await query`DELETE FROM notification_endpoints WHERE ${lockedInOrder(sql`session_id = ANY(${signedOut}::uuid[])`)}`;
  if (over.length > 0)
    await query`
      UPDATE notification_endpoints SET session_id = NULL
      WHERE ${lockedInOrder(sql`session_id = ANY(${over}::uuid[])`)}`;
}
