import { raw, type Sql, sql } from '@expert-relay/db';
import type { DeliveryType } from '../endpoints/delivery-types.ts';
import { channelWindow } from './channel-window.ts';
import { idOf } from './delivery-parts.ts';
import { isUsable } from './recipients.ts';

/** The type of a delivery that reports to an email address that other endpoints of its user were switched off. */
const offType: DeliveryType = 'endpoint.off';

/**
 * The parts of a statement that report to the other email addresses of a user that an endpoint was switched off: once for each
 * time. `off` selects its `id` and `user_id`; the statement has locked all email addresses of this user with it. What the email
 * contains is read when it is claimed.
 */
export const reportParts = (off: Sql): Sql => sql`
  off AS MATERIALIZED (${off}),
  reported AS (
    INSERT INTO notification_deliveries (id, endpoint_id, type, event_at, due_at)
    SELECT ${idOf({
      endpoint: raw('endpoint.id'),
      type: sql`${offType}::text`,
      request: sql`''`,
      message: sql`off.id || ' ' || now()`,
    })}, endpoint.id, ${offType}, now(), now() + ${channelWindow}
    FROM off JOIN notification_endpoints AS endpoint
      ON endpoint.user_id = off.user_id AND endpoint.channel = 'email' AND endpoint.id <> off.id
    WHERE ${isUsable}
    RETURNING endpoint_id, due_at
  ),
  made_due AS (
    UPDATE notification_endpoints SET next_due_at = LEAST(next_due_at, reported.due_at)
    FROM reported WHERE id = endpoint_id
  )`;

/**
 * The endpoints of the user of `endpoint` (notification_endpoints) that were switched off because they failed, as a JSON list of
 * `channel`, `name` and `reason`; null if there are none. The names are those that the owner has given to channels and keys.
 */
export const endpointsOff: Sql = sql`(
  SELECT json_agg(json_build_object('channel', off.channel::text, 'name', COALESCE(api_keys.name, off.label),
    'reason', off.off_reason) ORDER BY off.created_at, off.id)
  FROM notification_endpoints AS off LEFT JOIN api_keys ON api_keys.id = off.api_key_id
  WHERE off.user_id = endpoint.user_id AND off.id <> endpoint.id AND off.enabled_at IS NULL
    AND off.off_reason IN ('failing', 'gone') AND api_keys.revoked_at IS NULL)`;
