import { type Postgres, raw, sql } from '@expert-relay/db';
import type { WebhookType } from '../endpoints/delivery-types.ts';
import { claimedColumns, lease } from './claimed-columns.ts';
import { isUsable } from './recipients.ts';

/** A delivery to a webhook that this process has to send, and its endpoint. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly attempt: number;
  readonly isSlow: boolean;
  readonly type: WebhookType;
  readonly eventAt: string;
  readonly requestId: string | null;
  readonly refCode: string | null;
  readonly messageId: string | null;
  readonly endpointId: string;
  readonly userId: string;
  readonly sealingKeyId: string;
  readonly sealed: Buffer;
}

/** Deliveries of one endpoint that are sent at the same time. */
const perEndpoint = 4;
const perSlowEndpoint = 1;
/** Deliveries of one endpoint that are cancelled together, when it may not be used any more. */
const cancelledAtOnce = 1_000;

const slowMs = 2_000;
/** An endpoint that was never tried may be slow. */
const isSlow = sql`(endpoint.failures > 0 OR COALESCE(endpoint.last_ms > ${raw(String(slowMs))}, true))`;

/** How many deliveries may be claimed: of healthy endpoints, and of slow or failing ones. */
export interface FreeWebhookSlots {
  readonly healthy: number;
  readonly slow: number;
  /** The users who are passed over. Receivers of a user that hang do not delay its healthy ones. */
  readonly busyUsers: { readonly healthy: readonly string[]; readonly slow: readonly string[] };
}

/** Attempts of one process at the same time. */
export const webhookSlots = { healthy: 48, slow: 16 };

/** Deliveries of one user that one claim takes. */
export const perUser = { healthy: webhookSlots.healthy / 2, slow: webhookSlots.slow / 2 };

/**
 * Claims deliveries that are due, at most a few of each endpoint. The endpoints are locked first, in a statement of their own,
 * so that the second statement sees every delivery that was inserted before the lock. A later insert waits for the
 * lock, and then makes the endpoint due.
 */
export function claimForWebhooks(
  database: Pick<Postgres, 'transact'>,
  { healthy, slow, busyUsers }: FreeWebhookSlots,
): Promise<ClaimedDelivery[]> {
  return database.transact(async (query) => {
    const locked = await query<{ id: string }>`
      WITH healthy AS MATERIALIZED (
        SELECT id FROM notification_endpoints AS endpoint
        WHERE channel = 'webhook' AND next_due_at <= now() AND NOT ${isSlow} AND user_id <> ALL(${busyUsers.healthy}::uuid[])
        ORDER BY next_due_at LIMIT ${healthy}::int FOR NO KEY UPDATE SKIP LOCKED
      ),
      slow AS MATERIALIZED (
        SELECT id FROM notification_endpoints AS endpoint
        WHERE channel = 'webhook' AND next_due_at <= now() AND ${isSlow} AND user_id <> ALL(${busyUsers.slow}::uuid[])
        ORDER BY next_due_at LIMIT ${slow}::int FOR NO KEY UPDATE SKIP LOCKED
      )
      SELECT id FROM healthy UNION ALL SELECT id FROM slow`;
    if (locked.length === 0) return [];
    const ids = locked.map(({ id }) => id);
    return await query<ClaimedDelivery>`
      WITH endpoint AS MATERIALIZED (
        SELECT endpoint.id, user_id, ${isSlow} AS is_slow, ${isUsable} AS is_usable, sealing_key_id, sealed,
          CASE WHEN NOT ${isUsable} THEN ${cancelledAtOnce}::int
            WHEN ${isSlow} THEN ${perSlowEndpoint}::int ELSE ${perEndpoint}::int END - (
            SELECT count(*) FROM notification_deliveries AS other
            WHERE endpoint_id = endpoint.id AND state = 'sending' AND due_at > now())::int AS free_slots
        FROM notification_endpoints AS endpoint WHERE endpoint.id = ANY(${ids}::uuid[])
      ),
      due AS MATERIALIZED (
        SELECT endpoint.id AS endpoint_id, user_id, is_slow, is_usable AS is_needed, next.id,
          row_number() OVER (PARTITION BY endpoint.id ORDER BY next.due_at, next.id) AS rank_of_endpoint
        FROM endpoint, LATERAL (
          SELECT id, due_at FROM notification_deliveries
          WHERE endpoint_id = endpoint.id AND state IN ('waiting', 'sending') AND due_at <= now()
          ORDER BY due_at, id LIMIT GREATEST(free_slots, 0)) AS next
      ),
      due_of_users AS MATERIALIZED (
        SELECT *, row_number() OVER (PARTITION BY user_id, is_slow ORDER BY rank_of_endpoint) AS rank_of_user FROM due WHERE is_needed
      ),
      chosen AS MATERIALIZED (
        (SELECT endpoint_id, is_needed, id FROM due_of_users
          WHERE NOT is_slow AND rank_of_user <= ${perUser.healthy}::int ORDER BY rank_of_endpoint LIMIT ${healthy}::int)
        UNION ALL
        (SELECT endpoint_id, is_needed, id FROM due_of_users
          WHERE is_slow AND rank_of_user <= ${perUser.slow}::int ORDER BY rank_of_endpoint LIMIT ${slow}::int)
        UNION ALL
        (SELECT endpoint_id, is_needed, id FROM due WHERE NOT is_needed)
      ),
      claimed AS (
        UPDATE notification_deliveries AS delivery SET ${claimedColumns}
        FROM chosen WHERE delivery.id = chosen.id AND state IN ('waiting', 'sending') AND delivery.due_at <= now()
        RETURNING delivery.*
      ),
      rescheduled AS (
        UPDATE notification_endpoints SET next_due_at = LEAST(
          (SELECT now() + ${lease} FROM chosen WHERE chosen.endpoint_id = endpoint.id LIMIT 1),
          CASE WHEN endpoint.free_slots > (SELECT count(*) FROM chosen WHERE chosen.endpoint_id = endpoint.id)
            THEN (
              SELECT due_at FROM notification_deliveries AS live
              WHERE live.endpoint_id = endpoint.id AND state IN ('waiting', 'sending')
                AND NOT EXISTS (SELECT 1 FROM chosen WHERE chosen.id = live.id)
              ORDER BY due_at LIMIT 1)
            -- Without a free slot, what is due waits until an attempt ends, or its lease.
            ELSE (
              SELECT due_at FROM notification_deliveries AS live
              WHERE live.endpoint_id = endpoint.id AND state IN ('waiting', 'sending') AND due_at > now()
              ORDER BY due_at LIMIT 1) END)
        FROM endpoint WHERE notification_endpoints.id = endpoint.id
      )
      SELECT claimed.id, attempts AS attempt, is_slow AS "isSlow", type, event_at AS "eventAt",
        request_id AS "requestId", ref_code AS "refCode", message_id AS "messageId",
        endpoint.id AS "endpointId", user_id AS "userId", sealing_key_id AS "sealingKeyId", sealed
      FROM claimed JOIN endpoint ON endpoint.id = claimed.endpoint_id
      WHERE state = 'sending'`;
  });
}
