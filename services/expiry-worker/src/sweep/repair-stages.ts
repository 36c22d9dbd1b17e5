import type { Query } from '@expert-relay/db';

/**
 * Removes stale rows of `request_stages`, whose request has ended or is gone although they say that it is open, and
 * inserts the right row for those that have ended. A worker of an older release leaves such rows, and so do writes that
 * bypass the triggers.
 */
export async function repairStages(query: Query, signal: AbortSignal): Promise<void> {
  let found = batchSize;
  while (found === batchSize && !signal.aborted) found = await repairBatch(query);
}

const batchSize = 500;

async function repairBatch(query: Query): Promise<number> {
  // A scalar subquery, so that Postgres finds the request of each row by its index: stale rows are very rare. The request
  // is locked, so that it is not deleted before its row is inserted.
  const [batch] = await query<{ found: number }>`
    WITH stale AS (
      DELETE FROM request_stages WHERE (stage, at, request_id) IN (
        SELECT stage, at, request_id FROM request_stages
        WHERE (stage, at) <= ('open', now())
          AND (SELECT ended_at IS NULL FROM help_requests WHERE id = request_id) IS NOT TRUE
        ORDER BY stage, at, request_id LIMIT ${batchSize}::int)
      RETURNING request_id
    ),
    repaired AS (
      INSERT INTO request_stages (stage, at, request_id, user_id, created_at, progress)
      SELECT stage_of(ended_at, erased_at), COALESCE(ended_at, expires_at), id,
        user_id, created_at, progress_of(status, response_count, last_message_role)
      FROM help_requests JOIN stale ON id = stale.request_id
      FOR KEY SHARE OF help_requests
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::int AS found FROM stale`;
  return batch?.found ?? 0;
}
