import type { Api } from '@expert-relay/contracts';
import { type Query, sql } from '@expert-relay/db';
import { reportParts } from './report-off.ts';
import {
  failingLimit,
  failuresLimit,
  maxAttempts,
  maxRetryAfterSeconds,
  pauseAfter,
  pauseAfterFault,
  refusalsLimit,
} from './schedule.ts';

/** Deliveries that are sent together to an endpoint. */
export interface SentTogether {
  readonly endpointId: string;
  readonly deliveries: readonly { readonly id: string; readonly attempt: number }[];
}

/** The result of an attempt. Without a reason it has succeeded. */
export interface Attempt {
  readonly reason?: Api.DeliveryFailure;
  readonly statusCode?: number;
  /** The beginning of the response. */
  readonly response?: string;
  readonly retryAfterSeconds?: number;
  /** A failure that a repetition does not change: of the deliveries, or of the endpoint, which does not exist any more. */
  readonly ends?: 'deliveries' | 'endpoint';
  /** The receiver does not accept the address of the endpoint, which is switched off after some such refusals. */
  readonly isAddressRefused?: boolean;
  readonly durationMs: number;
}

/*
 * Conditions on `endpoint` (notification_endpoints), for which an attempt has failed.
 */

const hasFailedForDays = sql`(
  endpoint.failures + 1 >= ${failuresLimit}::int AND endpoint.failing_since <= now() - ${failingLimit})`;

/** What was sent together has ended at the same time, and counts as one refusal. */
const isRefusedTooOften = sql`(
  ${refusalsLimit}::int <= 1 + (
    SELECT count(DISTINCT ended_at) FROM notification_deliveries AS refused
    WHERE refused.endpoint_id = endpoint.id AND refused.state = 'failed' AND refused.ended_at >= endpoint.failing_since))`;

const otherEmailsArrive = sql`EXISTS (
  SELECT 1 FROM notification_endpoints AS other JOIN notification_deliveries AS accepted ON accepted.endpoint_id = other.id
  WHERE other.channel = 'email' AND other.id <> endpoint.id AND accepted.state = 'delivered'
    AND accepted.ended_at >= endpoint.failing_since)`;

/**
 * Records an attempt: the deliveries wait for the next one or end, and so may their endpoint. A result that comes after the
 * lease counts only if it is a success.
 */
export async function recordAttempt(
  query: Query,
  { endpointId, deliveries }: SentTogether,
  {
    reason,
    statusCode,
    response,
    retryAfterSeconds = 0,
    ends,
    isAddressRefused = false,
    durationMs,
  }: Attempt,
): Promise<{ state: string; isOff: boolean } | undefined> {
  const isSuccess = reason === undefined;
  const isGone = ends === 'endpoint';
  const isFinal = ends !== undefined;
  const retryAfter = Math.min(retryAfterSeconds, maxRetryAfterSeconds);
  const ids = deliveries.map(({ id }) => id);
  const [row] = await query<{ state: string; isOff: boolean }>`
    WITH locked AS MATERIALIZED (
      -- After a failure also the email addresses, to which it is reported if the endpoint is switched off.
      SELECT * FROM notification_endpoints WHERE id = ${endpointId}::uuid OR (${!isSuccess} AND channel = 'email'
        AND user_id = (SELECT user_id FROM notification_endpoints WHERE id = ${endpointId}::uuid))
      ORDER BY id FOR NO KEY UPDATE
    ),
    endpoint AS MATERIALIZED (
      SELECT id, user_id, channel, enabled_at IS NOT NULL AS was_on,
        enabled_at IS NOT NULL AND NOT (${!isSuccess} AND (
          ${isGone} OR ((${hasFailedForDays} OR (${isAddressRefused} AND ${isRefusedTooOften}))
            AND (channel <> 'email' OR ${otherEmailsArrive})))) AS stays_on,
        -- One pause for all: what was sent together is repeated together.
        random() AS chance
      FROM locked AS endpoint WHERE id = ${endpointId}::uuid
    ),
    delivery AS (
      UPDATE notification_deliveries AS delivery SET
        state = (CASE WHEN ${isSuccess} THEN 'delivered'
          WHEN ${isFinal} OR NOT stays_on OR attempts >= ${maxAttempts}::int THEN 'failed' ELSE 'waiting' END)::delivery_state,
        due_at = now() + GREATEST(${pauseAfter('attempts', 'chance')}, ${retryAfter}::float8 * interval '1 second'),
        ended_at = CASE WHEN ${isSuccess} OR ${isFinal} OR NOT stays_on OR attempts >= ${maxAttempts}::int THEN now() END,
        reason = ${reason ?? null}, status_code = ${statusCode ?? null}::int, response = ${response ?? null},
        duration_ms = ${Math.round(durationMs)}::int
      FROM endpoint, unnest(${ids}::text[], ${deliveries.map(({ attempt }) => attempt)}::int[]) AS sent (id, attempt)
      WHERE delivery.id = sent.id AND state IN ('waiting', 'sending')
        AND (${isSuccess} OR (attempts = sent.attempt AND state = 'sending'))
      RETURNING delivery.state
    ),
    abandoned AS (
      UPDATE notification_deliveries SET state = 'failed', reason = 'endpoint_off', ended_at = now()
      FROM endpoint WHERE endpoint_id = endpoint.id AND NOT stays_on AND state = 'waiting'
        AND notification_deliveries.id <> ALL(${ids}::text[])
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
    ),
    -- A push subscription that has ended is not reported: its browser subscribes again, if it is still there.
    ${reportParts(sql`
      SELECT id, user_id FROM endpoint
      WHERE was_on AND NOT stays_on AND NOT (channel = 'push' AND ${isGone}) AND EXISTS (SELECT 1 FROM delivery)`)}
    SELECT delivery.state::text AS state, was_on AND NOT stays_on AS "isOff" FROM delivery, endpoint LIMIT 1`;
  return row;
}

/** Gives claimed deliveries back after a fault of this service, which does not count as an attempt. */
export async function returnDeliveries(
  query: Query,
  { endpointId, deliveries }: SentTogether,
): Promise<void> {
  // The endpoint is locked first, as everywhere.
  await query`
    WITH endpoint AS MATERIALIZED (
      SELECT id FROM notification_endpoints WHERE id = ${endpointId}::uuid FOR NO KEY UPDATE
    ),
    returned AS (
      UPDATE notification_deliveries AS delivery
      SET state = 'waiting', attempts = attempts - 1, due_at = now() + ${pauseAfterFault}
      FROM endpoint, unnest(${deliveries.map(({ id }) => id)}::text[], ${deliveries.map(({ attempt }) => attempt)}::int[])
        AS sent (id, attempt)
      WHERE delivery.id = sent.id AND endpoint_id = endpoint.id AND state = 'sending' AND attempts = sent.attempt
      RETURNING endpoint_id
    )
    UPDATE notification_endpoints SET next_due_at = LEAST(next_due_at, now())
    WHERE id IN (SELECT endpoint_id FROM returned)`;
}
