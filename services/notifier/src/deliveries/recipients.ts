import { type Sql, sql } from '@expert-relay/db';

/*
 * Conditions on `endpoint` (notification_endpoints). Only these decide who is notified of what.
 */

/** A user is notified of the agent's messages, an agent of the expert's. */
const notifiedRole = sql`
  CASE WHEN endpoint.api_key_id IS NULL THEN 'consumer'::message_role ELSE 'provider'::message_role END`;

/** Whether the endpoint may still be used: it is on, and its key is not revoked. */
export const stillNeeded = sql`(
  endpoint.enabled_at IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM api_keys WHERE api_keys.id = endpoint.api_key_id AND revoked_at IS NOT NULL))`;

/**
 * Whether the endpoint is notified of an event of `request` (help_requests). `message` is its message, whose columns are
 * null for other events.
 */
export const recipientsOf = (event: { type: Sql; at: Sql }): Sql => sql`(
  endpoint.owner_id = request.user_id
  AND (endpoint.api_key_id IS NULL OR endpoint.api_key_id = request.consumer_key_id)
  AND ${event.type} = ANY(endpoint.events)
  AND ${event.at} >= endpoint.enabled_at
  AND (message.role IS NULL OR message.role = ${notifiedRole})
  AND ${stillNeeded})`;
