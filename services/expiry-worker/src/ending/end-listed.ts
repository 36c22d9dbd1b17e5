import { type Query, sql } from '@expert-relay/db';
import { endRequests, type Outcome } from './end-requests.ts';

export interface ListedOutcome {
  ended: Outcome<unknown>['ended'];
  /** Those that are still open, with the milliseconds after which to try them again. */
  open: ReadonlyMap<string, number>;
}

/** A row that was locked is free again after that. */
const lockedPause = 50;

/** Ends those of the listed requests that are overdue. The rest has ended already, or is still open. */
export async function endListed(query: Query, ids: readonly string[]): Promise<ListedOutcome> {
  const { ended } = await endRequests(query, sql`SELECT unnest(${ids}::text[]) AS request_id`);
  const rest = ids.filter((id) => !Object.hasOwn(ended, id));
  return { ended, open: rest.length > 0 ? await findUnended(query, rest) : new Map() };
}

/** Not due yet, by a clock that is ahead of the database's, or due and locked. */
async function findUnended(query: Query, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await query<{ id: string; remaining: number }>`
    SELECT id, extract(epoch FROM expires_at - clock_timestamp())::float8 * 1000 AS remaining
    FROM help_requests WHERE status IN ('pending', 'responded') AND id = ANY(${ids})`;
  return new Map(
    rows.map(({ id, remaining }) => [id, remaining > 0 ? Math.ceil(remaining) + 1 : lockedPause]),
  );
}
