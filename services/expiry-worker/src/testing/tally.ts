import { EventHead } from '@expert-relay/contracts';
import type { PrismaClient } from '@expert-relay/db';

export interface Tally {
  requests: number;
  expired: number;
  events: number;
  /** Ended before their time. */
  early: number;
  /** Told of more than once. */
  doubled: number;
  /** Overdue, and not ended or not told of. */
  missing: number;
  /** Requests that do not stand in `request_stages` where they belong, and rows there without a request. */
  misplaced: number;
}

/** What became of all requests in a database, counted. */
export async function tally(prisma: PrismaClient): Promise<Tally> {
  const events = await readEnds(prisma);
  const [row] = await prisma.$queryRaw<Tally[]>`
    WITH told AS (
      SELECT request_id, count(*) AS events, min(recorded_at) AS first_at
      FROM unnest(${events.map(({ id }) => id)}::text[], ${events.map(({ at }) => at)}::timestamptz[])
        AS event (request_id, recorded_at)
      GROUP BY request_id
    )
    SELECT count(*)::int AS requests,
      count(*) FILTER (WHERE status = 'expired')::int AS expired,
      coalesce(sum(events), 0)::int AS events,
      count(*) FILTER (WHERE status = 'expired' AND first_at < expires_at)::int AS early,
      count(*) FILTER (WHERE events > 1)::int AS doubled,
      count(*) FILTER (WHERE expires_at <= now()
        AND (status NOT IN ('closed', 'expired') OR events IS NULL))::int AS missing,
      (SELECT count(*)::int FROM help_requests FULL JOIN request_stages
        ON id = request_id AND stage = stage_of(ended_at, erased_at) AND at = COALESCE(ended_at, expires_at)
        WHERE id IS NULL OR request_id IS NULL) AS misplaced
    FROM help_requests LEFT JOIN told ON told.request_id = help_requests.id`;
  if (!row) throw new Error('Postgres gave no row for a count.');
  return row;
}

/** Of which requests the end was told, and when: as often as it was told. */
export async function readEnds(prisma: PrismaClient): Promise<{ id: string; at: Date }[]> {
  const rows = await prisma.outboxEvent.findMany({ where: { type: 'request_closed' } });
  return rows.flatMap(({ payload, recordedAt }) =>
    new EventHead(payload).requests.map(({ requestId }) => ({ id: requestId, at: recordedAt })),
  );
}
