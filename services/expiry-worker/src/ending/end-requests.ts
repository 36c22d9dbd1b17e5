import { requestClosedPayload } from '@expert-relay/contracts';
import { insertEvent, Prisma, type Query } from '@expert-relay/db';

export interface Ended {
  id: string;
  /** The moment of its expiry, in milliseconds since 1970, to go on from. */
  expiresAt: number;
  /** How long after that moment it was ended, in seconds. */
  lateness: number;
}

const payload = requestClosedPayload({ reason: 'expired' });

/**
 * Ends the requests that `due` picks, and tells of each, in one statement: a row that another worker, or
 * its consumer, has ended in the meantime is not picked.
 *
 * A conversation ended when its time was over, whenever a worker noticed: `ended_at` is `expires_at`. So it
 * reads the same before and after. When it was told, the event's own time says.
 */
export function endRequests(query: Query, due: Prisma.Sql): Promise<Ended[]> {
  return query<Ended>`
    WITH due AS MATERIALIZED (${due} FOR UPDATE SKIP LOCKED),
    ended AS (
      UPDATE help_requests SET status = 'expired', seq = seq + 1, ended_at = expires_at
      FROM due WHERE help_requests.id = due.id
      RETURNING help_requests.id AS request_id, user_id, ref_code, seq, expires_at
    ),
    told AS (${insertEvent({
      type: 'request_closed',
      payload,
      from: Prisma.sql`SELECT user_id, request_id, ref_code, seq FROM ended ORDER BY expires_at`,
    })})
    SELECT request_id AS id, extract(epoch FROM expires_at)::float8 * 1000 AS "expiresAt",
      extract(epoch FROM clock_timestamp() - expires_at)::float8 AS lateness
    FROM ended ORDER BY expires_at`;
}
