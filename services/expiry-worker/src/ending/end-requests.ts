import { requestClosedPayload } from '@expert-relay/contracts';
import { insertSharedEvent, moveExpired, overdue, Prisma, type Query } from '@expert-relay/db';

export interface Ended {
  id: string;
  /** How long after the moment of its expiry it was ended, in seconds. */
  lateness: number;
}

const payload = requestClosedPayload({ reason: 'expired' });

/**
 * Ends those of the listed requests that are overdue, and tells of each, in one statement: a row that is
 * locked, or that another worker or its consumer has ended in the meantime, is not picked.
 *
 * A conversation ended when its time was over, whenever a worker noticed: `ended_at` is `expires_at`. So it
 * reads the same before and after. When it was told, the event's own time says.
 */
export function endRequests(query: Query, ids: readonly string[]): Promise<Ended[]> {
  // An array whose length Postgres cannot know counts as ten: it looks each row up, whatever it knows of the tables.
  // And it is looked up once: locked, it stays where it lies. One that was changed just before the lock lies where this
  // statement does not look yet, and is left to the next.
  return query<Ended>`
    WITH due AS MATERIALIZED (
      SELECT ctid FROM help_requests WHERE id = ANY(ARRAY(SELECT unnest(${ids}::text[]))) AND ${overdue}
      FOR UPDATE SKIP LOCKED
    ),
    ended AS (
      UPDATE help_requests SET status = 'expired', seq = seq + 1, ended_at = expires_at
      WHERE ctid = ANY(ARRAY(SELECT ctid FROM due))
      RETURNING id AS request_id, user_id, ref_code, seq, expires_at
    ),
    moved AS (${moveExpired}),
    told AS (${insertSharedEvent({
      type: 'request_closed',
      payload,
      from: Prisma.sql`SELECT user_id, request_id, ref_code, seq FROM ended ORDER BY expires_at`,
    })})
    SELECT request_id AS id, date_part('epoch', clock_timestamp() - expires_at) AS lateness
    FROM ended`;
}
