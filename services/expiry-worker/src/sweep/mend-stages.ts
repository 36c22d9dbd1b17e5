import type { Query } from '@expert-relay/db';

/**
 * Removes rows of `request_stages` that call a request open that has ended or is gone, and puts back those of
 * the ended ones where they belong. A worker of an older release leaves such rows while it
 * still runs beside this one, and so does whoever writes into the database past its triggers.
 */
export async function mendStages(query: Query, signal: AbortSignal): Promise<void> {
  let found = batchSize;
  while (found === batchSize && !signal.aborted) found = await mendBatch(query);
}

const batchSize = 500;

async function mendBatch(query: Query): Promise<number> {
  // A scalar subquery, so that each row looks for its request alone: nearly always there is no row. And the request is
  // held, so that nobody removes it before its row is back.
  const [batch] = await query<{ found: number }>`
    WITH stray AS (
      DELETE FROM request_stages WHERE (stage, at, request_id) IN (
        SELECT stage, at, request_id FROM request_stages
        WHERE (stage, at) <= ('open', now())
          AND (SELECT ended_at IS NULL FROM help_requests WHERE id = request_id) IS NOT TRUE
        ORDER BY stage, at, request_id LIMIT ${batchSize}::int)
      RETURNING request_id
    ),
    mended AS (
      INSERT INTO request_stages (stage, at, request_id, user_id, created_at, progress)
      SELECT stage_of(ended_at, erased_at), COALESCE(ended_at, expires_at), id,
        user_id, created_at, progress_of(status, response_count, last_message_role)
      FROM help_requests JOIN stray ON id = stray.request_id
      FOR KEY SHARE OF help_requests
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::int AS found FROM stray`;
  return batch?.found ?? 0;
}
