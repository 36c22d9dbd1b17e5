import { type FactType, join, raw, refCodeColumn, type Sql, sql } from '@expert-relay/db';
import type { DeliveryType } from '../endpoints/delivery-types.ts';
import { lockedInOrder } from '../endpoints/endpoint-rows.ts';
import { channelWindow } from './channel-window.ts';
import { isNotifiedOf } from './recipients.ts';

/** The id of a delivery: the same event and endpoint give the same id in every process. */
export const idOf = (parts: { endpoint: Sql; type: Sql; request: Sql; message: Sql }): Sql => sql`
  'msg_' || left(encode(sha256(convert_to(concat_ws('|',
    ${parts.endpoint}::text, ${parts.type}, ${parts.request}, ${parts.message}::text), 'UTF8')), 'hex'), 32)`;

/** By the type of a fact: the type and the time of its deliveries. A fact of another type would be deleted without a delivery. */
const events: Readonly<Record<FactType, { type: Sql; at: Sql }>> = {
  new_request: { type: sql`'request.created'`, at: sql`request.created_at` },
  new_message: {
    type: sql`CASE WHEN message.role = 'provider' AND endpoint.channel <> 'webhook' THEN 'request.answered' ELSE 'message.created' END`,
    at: sql`message.created_at`,
  },
  key_exchange: { type: sql`'keys.exchanged'`, at: sql`fact.at` },
  request_closed: { type: sql`'request.' || request.status::text`, at: sql`request.ended_at` },
};
const caseOf = (column: 'type' | 'at'): Sql =>
  sql`CASE fact.type ${join(
    Object.entries(events).map(([name, event]) => sql`WHEN ${raw(`'${name}'`)} THEN ${event[column]}`),
    ' ',
  )} END`;
const type = caseOf('type');
const at = caseOf('at');

/** A person is notified after the delay of the channel, and what is due together is put together. */
const dueAt = sql`
  CASE WHEN endpoint.channel = 'webhook' THEN now()
    WHEN ${type} = 'request.answered' THEN ${at} + ${channelWindow}
    ELSE ${at} + GREATEST(endpoint.delay_seconds * interval '1 second', ${channelWindow}) END`;

/**
 * The parts of a statement that insert the deliveries of facts, each once, and make their endpoints due: `inserted` has those that
 * were inserted. `facts` selects `type`, `request_id`, `message_key` and `at`; everything else is read from the rows of the requests
 * and messages.
 */
export const deliveryParts = (facts: Sql): Sql => sql`
  fact AS MATERIALIZED (${facts}),
  inserted AS (
    INSERT INTO notification_deliveries (id, endpoint_id, type, request_id, ref_code, message_id, event_at, due_at)
    SELECT ${idOf({
      endpoint: raw('endpoint.id'),
      type,
      request: raw('request.id'),
      // A chat is notified of the first answer only.
      message: sql`CASE WHEN ${type} <> 'request.answered' THEN message.message_key END`,
    })},
      endpoint.id, ${type}, request.id, ${refCodeColumn}, message.message_id, ${at}, ${dueAt}
    FROM fact
    JOIN help_requests AS request ON request.id = fact.request_id
    LEFT JOIN messages AS message
      ON fact.type = 'new_message' AND message.request_id = request.id
      AND message.message_key = fact.message_key
    JOIN notification_endpoints AS endpoint ON ${isNotifiedOf({ type, at })}
    WHERE (fact.type = 'new_message') = (message.request_id IS NOT NULL)
      AND (fact.type <> 'request_closed' OR request.ended_at IS NOT NULL)
    ON CONFLICT (id) DO NOTHING
    RETURNING endpoint_id, due_at
  ),
  made_due AS (
    UPDATE notification_endpoints SET next_due_at = LEAST(next_due_at, first.due_at)
    FROM (SELECT endpoint_id, min(due_at) AS due_at FROM inserted GROUP BY endpoint_id) AS first
    WHERE id = first.endpoint_id AND ${lockedInOrder(sql`id IN (SELECT endpoint_id FROM inserted)`)}
  )`;

/**
 * The parts of a statement that insert a delivery with a type of its own, such as a test, and make its endpoint due: `inserted` has the
 * delivery, or nothing if there is no such endpoint.
 */
export const oneDeliveryParts = (delivery: {
  endpointId: string;
  type: DeliveryType;
  key: string;
}): Sql => sql`
  endpoint AS MATERIALIZED (
    SELECT id FROM notification_endpoints WHERE id = ${delivery.endpointId}::uuid FOR NO KEY UPDATE
  ),
  inserted AS (
    INSERT INTO notification_deliveries (id, endpoint_id, type, event_at, due_at)
    SELECT ${idOf({
      endpoint: sql`${delivery.endpointId}`,
      type: sql`${delivery.type}::text`,
      request: sql`''`,
      message: sql`${delivery.key}`,
    })}, endpoint.id, ${delivery.type}, now(), now()
    FROM endpoint
    -- A repeated call changes nothing, and RETURNING has the delivery of the first call.
    ON CONFLICT (id) DO UPDATE SET type = EXCLUDED.type
    RETURNING *
  ),
  made_due AS (
    UPDATE notification_endpoints SET next_due_at = LEAST(next_due_at, now())
    WHERE id IN (SELECT endpoint_id FROM inserted)
  )`;
