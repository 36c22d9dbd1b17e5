import { type Query, raw } from '@expert-relay/db';
import type { FailureReason } from '../outbound/post.ts';
import type { ClaimedDelivery } from './claim-due.ts';
import { maxAttempts, maxRetryAfterSeconds, pauseAfter } from './schedule.ts';

/** The result of an attempt. Without a reason it has succeeded. */
export interface Attempt {
  readonly reason?: FailureReason;
  readonly statusCode?: number;
  /** The beginning of the answer. */
  readonly response?: string;
  readonly retryAfterSeconds?: number;
  readonly durationMs: number;
}

const gone = 410;

/** An endpoint that has failed for this time and at least so often, without a success between, is switched off. */
const failingLimit = raw(`interval '5 days'`);
const failuresLimit = 10;

/**
 * Records an attempt: the delivery waits for the next one or ends, and so may its endpoint. A result that comes after the
 * lease counts only if it is a success.
 */
export async function recordAttempt(
  query: Query,
  { id, endpointId, attempt }: Pick<ClaimedDelivery, 'id' | 'endpointId' | 'attempt'>,
  { reason, statusCode, response, retryAfterSeconds = 0, durationMs }: Attempt,
): Promise<{ state: string; isOff: boolean } | undefined> {
  const isSuccess = reason === undefined;
  const isGone = statusCode === gone;
  const retryAfter = Math.min(retryAfterSeconds, maxRetryAfterSeconds);
  const [row] = await query<{ state: string; isOff: boolean }>`
    WITH endpoint AS MATERIALIZED (
      SELECT id, enabled_at IS NOT NULL AS was_on, enabled_at IS NOT NULL AND NOT (${!isSuccess} AND (${isGone} OR (
        failures + 1 >= ${failuresLimit}::int AND failing_since <= now() - ${failingLimit}))) AS stays_on
      FROM notification_endpoints WHERE id = ${endpointId}::uuid FOR NO KEY UPDATE
    ),
    delivery AS (
      UPDATE notification_deliveries AS delivery SET
        state = (CASE WHEN ${isSuccess} THEN 'delivered'
          WHEN NOT stays_on OR attempts >= ${maxAttempts}::int THEN 'failed' ELSE 'waiting' END)::delivery_state,
        due_at = now() + GREATEST(${pauseAfter('attempts')}, ${retryAfter}::float8 * interval '1 second'),
        ended_at = CASE WHEN ${isSuccess} OR NOT stays_on OR attempts >= ${maxAttempts}::int THEN now() END,
        reason = ${reason ?? null}, status_code = ${statusCode ?? null}::int, response = ${response ?? null},
        duration_ms = ${Math.round(durationMs)}::int
      FROM endpoint
      WHERE delivery.id = ${id} AND state IN ('waiting', 'sending')
        AND (${isSuccess} OR (attempts = ${attempt}::int AND state = 'sending'))
      RETURNING delivery.state
    ),
    abandoned AS (
      UPDATE notification_deliveries SET state = 'failed', reason = 'endpoint_off', ended_at = now()
      FROM endpoint WHERE endpoint_id = endpoint.id AND NOT stays_on AND state = 'waiting'
        AND notification_deliveries.id <> ${id}
    ),
    changed AS (
      UPDATE notification_endpoints SET
        failures = CASE WHEN ${isSuccess} THEN 0 ELSE failures + 1 END,
        failing_since = CASE WHEN ${isSuccess} THEN NULL ELSE COALESCE(failing_since, now()) END,
        last_ms = ${Math.round(durationMs)}::int,
        off_reason = CASE WHEN enabled_at IS NOT NULL AND NOT stays_on
          THEN ${isGone ? 'gone' : 'failing'} ELSE off_reason END,
        enabled_at = CASE WHEN stays_on THEN enabled_at END,
        next_due_at = LEAST(next_due_at, now())
      FROM endpoint WHERE notification_endpoints.id = endpoint.id AND EXISTS (SELECT 1 FROM delivery)
    )
    SELECT delivery.state::text AS state, was_on AND NOT stays_on AS "isOff" FROM delivery, endpoint`;
  return row;
}

/** Gives a claimed delivery back after a fault of this service, which does not count as an attempt. */
export async function returnDelivery(
  query: Query,
  { id, endpointId, attempt }: Pick<ClaimedDelivery, 'id' | 'endpointId' | 'attempt'>,
): Promise<void> {
  // The endpoint is locked first, as everywhere.
  await query`
    WITH endpoint AS MATERIALIZED (
      SELECT id FROM notification_endpoints WHERE id = ${endpointId}::uuid FOR NO KEY UPDATE
    ),
    returned AS (
      UPDATE notification_deliveries SET state = 'waiting', attempts = attempts - 1, due_at = now() + interval '5 minutes'
      FROM endpoint
      WHERE notification_deliveries.id = ${id} AND endpoint_id = endpoint.id AND state = 'sending'
        AND attempts = ${attempt}::int
      RETURNING endpoint_id
    )
    UPDATE notification_endpoints SET next_due_at = LEAST(next_due_at, now())
    WHERE id IN (SELECT endpoint_id FROM returned)`;
}
