import type { PrismaClient } from '@expert-relay/db';

export interface RequestCounts {
  requests: number;
  expired: number;
  events: number;
  /** Ended before they were due. */
  early: number;
  /** With more than one event. */
  repeated: number;
  /** Overdue, and not ended or without an event. */
  missing: number;
  /** Requests without the right row in `request_stages`, and rows there without a request. */
  wrongStages: number;
}

/** Counts the requests of a database, and the events of their ends. */
export async function countRequests(prisma: PrismaClient): Promise<RequestCounts> {
  const [row] = await prisma.$queryRaw<RequestCounts[]>`
    WITH reported AS (
      SELECT request_id, count(*) AS events, min(recorded_at) AS first_at
      FROM outbox_events WHERE type = 'request_closed' GROUP BY request_id
    )
    SELECT count(*)::int AS requests,
      count(*) FILTER (WHERE status = 'expired')::int AS expired,
      coalesce(sum(events), 0)::int AS events,
      count(*) FILTER (WHERE status = 'expired' AND first_at < expires_at)::int AS early,
      count(*) FILTER (WHERE events > 1)::int AS repeated,
      count(*) FILTER (WHERE expires_at <= now()
        AND (status NOT IN ('closed', 'expired') OR events IS NULL))::int AS missing,
      (SELECT count(*)::int FROM help_requests FULL JOIN request_stages
        ON id = request_id AND stage = stage_of(ended_at, erased_at) AND at = COALESCE(ended_at, expires_at)
          AND active_at = COALESCE(ended_at, GREATEST(help_requests.created_at, last_message_at))
        WHERE id IS NULL OR request_id IS NULL) AS "wrongStages"
    FROM help_requests LEFT JOIN reported ON reported.request_id = help_requests.id`;
  if (!row) throw new Error('Postgres returned no row for a count.');
  return row;
}
