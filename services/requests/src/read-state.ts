import type { Api } from '@expert-relay/contracts';
import { type Query, refCodeColumn, type Sql, sql, statusNow } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';

export interface StateRow extends Omit<Api.RequestState, 'requestId'> {
  id: string;
}

/** The columns of a `StateRow`. */
export const stateColumns = sql`
  id, ${refCodeColumn}, ${statusNow} AS status, response_count AS "responseCount",
  created_at AS "createdAt", expires_at AS "expiresAt"`;

/** Reads the request that a condition selects. An unknown request and one of another user are both not found. */
export async function readState(query: Query, condition: Sql): Promise<StateRow> {
  const rows = await query<StateRow>`SELECT ${stateColumns} FROM help_requests WHERE ${condition}`;
  if (!rows[0]) throw new Problem('not_found');
  return rows[0];
}

export const stateBody = (state: StateRow): Api.RequestState => ({
  requestId: state.id,
  refCode: state.refCode,
  status: state.status,
  responseCount: state.responseCount,
  createdAt: state.createdAt,
  expiresAt: state.expiresAt,
});
