import { raw, type Sql, sql } from '@expert-relay/db';
import { maxAttempts } from './schedule.ts';

/** After this time another process may send it: its process has died. Longer than an attempt and the recording of its result. */
export const leaseSeconds = 60;
export const lease = raw(`interval '${leaseSeconds} seconds'`);

/**
 * What a claim sets in `delivery` (notification_deliveries). One that is not needed any more (`is_needed`) is cancelled, which
 * is no attempt. The process of a last attempt may have died: then nothing else records that it failed.
 */
export const claimedColumns: Sql = sql`
  state = CASE
    WHEN NOT is_needed THEN 'cancelled'::delivery_state
    WHEN attempts >= ${maxAttempts}::int THEN 'failed'::delivery_state
    ELSE 'sending'::delivery_state END,
  ended_at = CASE WHEN is_needed AND attempts < ${maxAttempts}::int THEN NULL ELSE now() END,
  reason = CASE WHEN is_needed AND attempts >= ${maxAttempts}::int THEN COALESCE(reason, 'broken_off') ELSE reason END,
  attempts = LEAST(attempts + is_needed::int, ${maxAttempts}::int),
  due_at = now() + ${lease}`;
