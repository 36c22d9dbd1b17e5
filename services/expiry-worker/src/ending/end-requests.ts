import { requestClosedPayload } from '@expert-relay/contracts';
import { insertSharedEvent, moveExpired, overdue, type Query, type Sql, sql } from '@expert-relay/db';

export interface Outcome<Listed> {
  /** Which were ended, and how many seconds after the moment of their expiry. */
  ended: Readonly<Record<string, number>>;
  /** How many were looked at, and the last of them. */
  listed: number;
  last: Listed | null;
}

const payload = requestClosedPayload({ reason: 'expired' });

/**
 * Ends those of some requests that are overdue, and tells of each, in one statement: a row that is
 * locked, or that another worker or its consumer has ended in the meantime, is not picked. `list` is a part of that
 * statement and selects their `request_id`.
 *
 * A conversation ended when its time was over, whenever a worker noticed: `ended_at` is `expires_at`. So it
 * reads the same before and after. When it was told, the event's own time says.
 */
export async function endRequests<Listed>(query: Query, list: Sql): Promise<Outcome<Listed>> {
  // An array whose length Postgres cannot know counts as ten: it looks each row up, whatever it knows of the tables.
  // And it is looked up once: locked, it stays where it lies. One that was changed just before the lock lies where this
  // statement does not look yet, and is left to the next.
  const [outcome] = await query<Outcome<Listed>>`
    WITH listed AS MATERIALIZED (${list}),
    due AS MATERIALIZED (
      SELECT ctid FROM help_requests
      WHERE id = ANY(ARRAY(SELECT unnest(ARRAY(SELECT request_id FROM listed)))) AND ${overdue}
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
      from: sql`SELECT user_id, request_id, ref_code, seq FROM ended ORDER BY expires_at`,
    })})
    SELECT
      (SELECT COALESCE(
        json_object_agg(request_id, date_part('epoch', clock_timestamp() - expires_at)), '{}') FROM ended) AS ended,
      (SELECT count(*)::int FROM listed) AS listed,
      (SELECT row_to_json(listed) FROM listed ORDER BY listed DESC LIMIT 1) AS last`;
  return outcome as Outcome<Listed>;
}
