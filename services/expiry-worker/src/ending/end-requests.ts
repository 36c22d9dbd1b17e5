import { requestClosedEvent } from '@expert-relay/contracts';
import {
  eventParts,
  moveExpired,
  overdue,
  type Query,
  raw,
  type Sql,
  sql,
  waitForOutbox,
} from '@expert-relay/db';

/** The ended requests by id, each with the seconds between its expiry and its end. */
export type EndedRequests = Readonly<Record<string, number>>;

interface EndResult<Listed> {
  ended: EndedRequests;
  /** How many rows `list` selected, and the last of them. */
  listed: number;
  last: Listed | null;
}

const event = requestClosedEvent({ reason: 'expired' });

/**
 * Ends the overdue ones of some requests and records their events, in one statement. It skips a row that is locked, or
 * that another worker or the agent has just ended. `list` is a part of that statement and selects the `request_id`s. The
 * outbox leader finds the events when it polls, within half a second: this service has no NATS to wake it.
 *
 * `ended_at` is `expires_at`, however late the worker is: readers saw the request as expired from then on.
 */
export async function endRequests<Listed>(query: Query, list: Sql): Promise<EndResult<Listed>> {
  // Postgres assumes ten elements for an array of unknown length, so it uses the index for each, whatever its statistics
  // are. A locked row keeps its ctid. A row that was changed just before the lock has a new version, which this statement
  // does not see: the next one ends it.
  const [result] = await query<EndResult<Listed>>`
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
    ${eventParts({
      ...event,
      from: sql`SELECT user_id, request_id, ref_code, seq FROM ended ORDER BY expires_at`,
    })}
    SELECT
      (SELECT COALESCE(
        json_object_agg(request_id, date_part('epoch', clock_timestamp() - expires_at)), '{}') FROM ended) AS ended,
      (SELECT count(*)::int FROM listed) AS listed,
      (SELECT row_to_json(listed) FROM listed ORDER BY listed DESC LIMIT 1) AS last`;
  return result as EndResult<Listed>;
}

/** The end of a page, after which the next one begins; `at` may also be `now` or `-infinity`. */
export interface PageEnd {
  at: string;
  request_id: string;
}

/**
 * A part of a statement: a page of open requests in the order in which they fall due, until `untilMs` milliseconds from
 * now by the database's clock.
 *
 * Each page begins after the last row of the page before, since the index still lists rows that have been ended. Bounds as
 * tuples and a limit in the text make Postgres use the index, whatever its statistics are.
 */
export function openPage(page: { after: PageEnd; untilMs?: number; size: number }): Sql {
  const { after, untilMs = 0, size } = page;
  return sql`
    SELECT at, request_id FROM request_stages
    WHERE (stage, at) <= ('open', now() + ${untilMs}::float8 * interval '1 millisecond')
      AND (stage, at, request_id) > ('open', ${after.at}::timestamptz, ${after.request_id})
    ORDER BY stage, at, request_id LIMIT ${raw(String(size))}`;
}

/**
 * Ends overdue requests in batches, oldest first, and waits before each until the outbox has room, or `isOver`. It yields each
 * batch, so that the caller can pause or stop. Rows that are locked are left to the next call.
 */
export async function* endInBatches(
  query: Query,
  size: number,
  isOver?: () => boolean,
): AsyncGenerator<EndedRequests> {
  let after: PageEnd | null = { at: '-infinity', request_id: '' };
  while (after && (await waitForOutbox(query, isOver))) {
    const { ended, listed, last }: EndResult<PageEnd> = await endRequests(query, openPage({ after, size }));
    yield ended;
    after = listed === size ? last : null;
  }
}

/** A row that is locked is tried again after this. */
const lockedRetryMs = 50;

/**
 * Ends the overdue ones of these requests. `open` are those that are still open, with the milliseconds after which to
 * try them again; the others had ended before.
 */
export async function endListed(
  query: Query,
  ids: readonly string[],
): Promise<{ ended: EndedRequests; open: ReadonlyMap<string, number> }> {
  const { ended } = await endRequests(query, sql`SELECT unnest(${ids}::text[]) AS request_id`);
  const rest = ids.filter((id) => !Object.hasOwn(ended, id));
  return { ended, open: rest.length > 0 ? await findUnended(query, rest) : new Map() };
}

/** Not due yet, because the clock of a worker is ahead of the database's; or due, and locked or due only since the statement before. */
async function findUnended(query: Query, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await query<{ id: string; remaining: number }>`
    SELECT id, extract(epoch FROM expires_at - clock_timestamp())::float8 * 1000 AS remaining
    FROM help_requests WHERE status IN ('pending', 'responded') AND id = ANY(${ids})`;
  return new Map(
    rows.map(({ id, remaining }) => [id, remaining > 0 ? Math.ceil(remaining) + 1 : lockedRetryMs]),
  );
}
