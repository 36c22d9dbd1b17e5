import { requestClosedPayload } from '@expert-relay/contracts';
import { insertEvent, moveExpired, overdue, Prisma, type Query } from '@expert-relay/db';

export interface Ended {
  id: string;
  /** How long after the moment of its expiry it was ended, in seconds. */
  lateness: number;
}

const payload = requestClosedPayload({ reason: 'expired' });

/**
 * Ends those of the listed requests that are overdue, and tells of each, in one statement: a row that is
 * locked, or that another worker or its consumer has ended in the meantime, is not picked. Told of in bulk
 * they keep nobody waiting for other events.
 *
 * A conversation ended when its time was over, whenever a worker noticed: `ended_at` is `expires_at`. So it
 * reads the same before and after. When it was told, the event's own time says.
 */
export function endRequests(
  query: Query,
  ids: readonly string[],
  { bulk = false }: { bulk?: boolean } = {},
): Promise<Ended[]> {
  // An array whose length Postgres cannot know counts as ten: it looks each row up, whatever it knows of the tables.
  return query<Ended>`
    WITH due AS MATERIALIZED (
      SELECT id FROM help_requests WHERE id = ANY(ARRAY(SELECT unnest(${ids}::text[]))) AND ${overdue}
      FOR UPDATE SKIP LOCKED
    ),
    ended AS (
      UPDATE help_requests SET status = 'expired', seq = seq + 1, ended_at = expires_at
      FROM due WHERE help_requests.id = due.id
      RETURNING help_requests.id AS request_id, user_id, ref_code, seq, expires_at
    ),
    moved AS (${moveExpired}),
    told AS (${insertEvent({
      type: 'request_closed',
      payload,
      from: Prisma.sql`SELECT user_id, request_id, ref_code, seq FROM ended ORDER BY expires_at`,
      bulk,
    })})
    SELECT request_id AS id, date_part('epoch', clock_timestamp() - expires_at) AS lateness
    FROM ended`;
}
