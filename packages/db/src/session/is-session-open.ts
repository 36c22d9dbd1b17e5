import { decodeEvent, sessionClockToleranceMs } from '@expert-relay/contracts';
import type { SessionPrincipal } from '@expert-relay/kit/principal';
import { type Query, type Sql, sql } from '../postgres/query.ts';

/** Of a row of `users`: the operator has ended the sessions that began before this time, in milliseconds since 1970. */
export const sessionsFrom: Sql = sql`
  COALESCE(extract(epoch FROM sessions_ended_at) * 1000 + ${sessionClockToleranceMs}::int, 0)::float8`;

/**
 * Whether a session of a call that is being handled is still open. Its end was recorded less than ten minutes ago, since a principal
 * is valid for less, so the event is still there.
 */
export async function isSessionOpen(
  query: Query,
  { userId, sessionId, begunAt }: Omit<SessionPrincipal, 'kind'>,
): Promise<boolean> {
  const [user] = await query<{ sessionsFrom: number }>`
    SELECT ${sessionsFrom} AS "sessionsFrom" FROM users WHERE id = ${userId}::uuid`;
  if (!user || begunAt < user.sessionsFrom) return false;
  const revocations = await query<{ payload: Uint8Array }>`
    SELECT payload FROM outbox_events WHERE type = 'credential_revoked' AND user_id = ${userId}::uuid`;
  return !revocations.some(({ payload }) => {
    const { case: name, value } = decodeEvent(payload).event;
    return name === 'credentialRevoked' && value.credential.value === sessionId;
  });
}
