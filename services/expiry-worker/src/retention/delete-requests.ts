import type { Query } from '@expert-relay/db';

const requestsAtOnce = 500;

/** Removes requests without content that ended longer than `retention` milliseconds ago; gives how many. */
export async function deleteRequests(query: Query, retention: number): Promise<number> {
  const rows = await query`
    WITH oldest AS MATERIALIZED (
      SELECT request_id FROM request_stages
      WHERE stage = 'erased' AND at <= now() - ${retention}::float8 * interval '1 millisecond'
        AND (SELECT erased_at IS NOT NULL FROM help_requests WHERE id = request_id)
      ORDER BY at, request_id LIMIT ${requestsAtOnce}
    ),
    due AS MATERIALIZED (
      SELECT id FROM help_requests
      WHERE id = ANY(ARRAY(SELECT request_id FROM oldest)) AND erased_at IS NOT NULL FOR UPDATE SKIP LOCKED
    )
    DELETE FROM help_requests USING due WHERE help_requests.id = due.id
    RETURNING 1`;
  return rows.length;
}
