import { type Query, type Sql, sql } from '@expert-relay/db';
import { Problem, type ProblemCode } from '@expert-relay/kit/problem';

const maxOfUser = 50;
const maxOfKey = 3;

/**
 * Whether an endpoint (notification_endpoints) is one of a revoked key. To its owner it does not exist, and the next maintenance
 * deletes it.
 */
export const isOfRevokedKey: Sql = sql`
  EXISTS (SELECT 1 FROM api_keys WHERE api_keys.id = api_key_id AND revoked_at IS NOT NULL)`;

/** Deletes the endpoints of revoked keys with their deliveries. */
export async function deleteOfRevokedKeys(query: Query): Promise<void> {
  await query`DELETE FROM notification_endpoints WHERE ${lockedInOrder(isOfRevokedKey)}`;
}

/** Makes creations of one user run in turn. */
export async function lockUser(query: Query, userId: string): Promise<void> {
  const [user] = await query`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR NO KEY UPDATE`;
  if (!user) throw new Problem('unauthorized');
}

/** Throws when the user, who is locked, or the consumer key has too many endpoints for another one. */
export async function requireEndpointLimit(
  query: Query,
  userId: string,
  { id, apiKeyId, code }: { id: string; apiKeyId: string | null; code: ProblemCode },
): Promise<void> {
  const [counts] = await query<{ ofUser: number; ofKey: number }>`
    SELECT count(*)::int AS "ofUser", count(*) FILTER (WHERE api_key_id = ${apiKeyId}::uuid)::int AS "ofKey"
    FROM notification_endpoints WHERE user_id = ${userId}::uuid AND id <> ${id}::uuid AND NOT ${isOfRevokedKey}`;
  if (!counts || counts.ofUser >= maxOfUser || counts.ofKey >= maxOfKey) throw new Problem(code);
}

/**
 * The condition of a statement that changes several endpoints: those that `which` selects, locked in the order of their ids. Two
 * statements that lock the same endpoints in different orders would end in a deadlock.
 */
export const lockedInOrder = (which: Sql): Sql => sql`
  id IN (SELECT id FROM notification_endpoints WHERE ${which} ORDER BY id FOR NO KEY UPDATE)`;

/**
 * Switches an endpoint, which is locked, on or off. What waits for one that is off is cancelled; one that was off begins without
 * failures. One that is so already is kept as it is, with the reason why it is off.
 */
export async function switchEndpoint(
  query: Query,
  id: string,
  isOn: boolean,
  offReason: 'owner' | 'unsubscribed' = 'owner',
): Promise<void> {
  if (!isOn) {
    await query`
      UPDATE notification_deliveries SET state = 'cancelled', ended_at = now()
      WHERE endpoint_id = ${id}::uuid AND state = 'waiting'`;
  }
  await query`
    UPDATE notification_endpoints SET
      enabled_at = CASE WHEN ${isOn} THEN COALESCE(enabled_at, date_trunc('milliseconds', now())) END,
      off_reason = CASE WHEN NOT ${isOn} THEN COALESCE(off_reason, ${offReason}) END,
      failures = CASE WHEN ${isOn} AND enabled_at IS NULL THEN 0 ELSE failures END,
      failing_since = CASE WHEN ${isOn} AND enabled_at IS NULL THEN NULL ELSE failing_since END
    WHERE id = ${id}::uuid`;
}
