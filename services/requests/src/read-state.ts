import { formatRefCode, type Query, type RequestStatus, type Sql, sql, statusNow } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';

export interface RequestState {
  id: string;
  refCode: string;
  status: RequestStatus;
  responseCount: number;
  createdAt: string;
  expiresAt: string;
}

/** The columns of a `RequestState`. */
export const stateColumns = sql`
  id, ref_code AS "refCode", ${statusNow} AS status, response_count AS "responseCount",
  created_at AS "createdAt", expires_at AS "expiresAt"`;

/** Reads the request that a condition selects. An unknown request and one of another user are both not found. */
export async function readState(query: Query, condition: Sql): Promise<RequestState> {
  const rows = await query<RequestState>`SELECT ${stateColumns} FROM help_requests WHERE ${condition}`;
  if (!rows[0]) throw new Problem('not_found');
  return rows[0];
}

export const stateBody = (state: RequestState) => ({
  requestId: state.id,
  refCode: formatRefCode(state.refCode),
  status: state.status,
  responseCount: state.responseCount,
  createdAt: state.createdAt,
  expiresAt: state.expiresAt,
});
