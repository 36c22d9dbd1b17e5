import { type Sql, sql } from '@expert-relay/db';
import { isOfRevokedKey } from '../endpoints/endpoint-rows.ts';

/*
 * Conditions on `endpoint` (notification_endpoints). Only these decide who is notified of what.
 */

/** A user is notified of the agent's messages, an agent of the expert's. */
const notifiedRole = sql`
  CASE WHEN endpoint.api_key_id IS NULL THEN 'consumer'::message_role ELSE 'provider'::message_role END`;

/** Whether the endpoint may still be used: it is on, confirmed if it is an email address, and its key is not revoked. */
export const isUsable = sql`(
  endpoint.enabled_at IS NOT NULL AND (endpoint.channel <> 'email' OR endpoint.confirmed_at IS NOT NULL)
  AND NOT ${isOfRevokedKey})`;

/** Whether the expert has written to `request` after a time. */
const answeredAfter = (time: Sql): Sql => sql`(
  request.last_message_at > ${time} AND EXISTS (
    SELECT 1 FROM messages AS answer
    WHERE answer.request_id = request.id AND answer.role = 'provider' AND answer.created_at > ${time}))`;

/**
 * Whether a person must still be notified of a delivery (notification_deliveries): `request`, which may be missing, is open and waits
 * for the expert, who has not answered this event, and does not want to see it later.
 */
export const mustStillNotify = (delivery: { eventAt: Sql }): Sql => sql`COALESCE(
  request.ended_at IS NULL AND request.expires_at > now() AND request.turn = 'provider'
  AND COALESCE(request.snoozed_until <= now(), true) AND NOT ${answeredAfter(delivery.eventAt)}, false)`;

/** Whether a delivery to a person waits already, which will stand for this event too. */
const waitsAlready = sql`EXISTS (
  SELECT 1 FROM notification_deliveries AS other
  WHERE other.endpoint_id = endpoint.id AND other.request_id = request.id AND other.state = 'waiting'
    AND other.type <> 'request.answered' AND NOT ${answeredAfter(sql`other.event_at`)})`;

/** Whether a person was, or may soon be, notified of the request: then a chat is notified of the answer. */
const wasNotified = sql`EXISTS (
  SELECT 1 FROM notification_deliveries AS other
  WHERE other.endpoint_id = endpoint.id AND other.request_id = request.id AND other.state <> 'cancelled')`;

/**
 * Whether the endpoint is notified of an event of `request` (help_requests). `message` is its message, whose columns are
 * null for other events.
 */
export const isNotifiedOf = (event: { type: Sql; at: Sql }): Sql => sql`(
  endpoint.user_id = request.user_id
  AND (endpoint.api_key_id IS NULL OR endpoint.api_key_id = request.consumer_key_id)
  AND ${event.type} = ANY(endpoint.events)
  AND ${event.at} >= endpoint.enabled_at
  AND (message.role IS NULL OR message.role = ${notifiedRole} OR ${event.type} = 'request.answered')
  AND ${isUsable}
  AND (endpoint.channel = 'webhook'
    OR CASE WHEN ${event.type} = 'request.answered' THEN ${wasNotified} ELSE NOT ${waitsAlready} END))`;
