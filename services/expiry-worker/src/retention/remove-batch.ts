import type { Query } from '@expert-relay/db';

/*
 * Each function removes one batch of data whose retention is over, in one statement, and returns the number of rows.
 * `retention` is in milliseconds.
 */

const maxRequestsToErase = 200;
/** A conversation with more messages (up to 10,000) is one batch. */
const maxMessagesToErase = 2_000;

/**
 * Erases the content of the conversations that ended longest ago. The rows of the requests stay, without texts and
 * public keys.
 */
export async function eraseContent(query: Query, retention: number): Promise<number> {
  const rows = await query`
    WITH oldest AS MATERIALIZED (
      SELECT request_id FROM request_stages
      WHERE stage = 'ended' AND at <= now() - ${retention}::float8 * interval '1 millisecond'
        AND (SELECT ended_at IS NOT NULL FROM help_requests WHERE id = request_id)
      ORDER BY at, request_id LIMIT ${maxRequestsToErase}
    ),
    due AS MATERIALIZED (
      SELECT id, ended_at, message_count FROM help_requests
      WHERE id = ANY(ARRAY(SELECT request_id FROM oldest)) AND ended_at IS NOT NULL AND erased_at IS NULL
      FOR UPDATE SKIP LOCKED
    ),
    counted AS (
      SELECT id, sum(message_count) OVER (ORDER BY ended_at, id) - message_count AS before FROM due
    ),
    chosen AS (SELECT id FROM counted WHERE before < ${maxMessagesToErase}),
    deleted AS (DELETE FROM messages USING chosen WHERE request_id = chosen.id)
    UPDATE help_requests SET
      question = NULL, plaintext = NULL, context = '[]', answer_form = NULL, form_kind = NULL, agent_name = NULL, agent_versions = NULL,
      tags = NULL, follows = NULL, close_reason = NULL,
      consumer_sign_pub_key = NULL, consumer_encrypt_pub_key = NULL,
      provider_sign_pub_key = NULL, provider_encrypt_pub_key = NULL, key_signature = NULL,
      erased_at = now()
    FROM chosen WHERE help_requests.id = chosen.id
    RETURNING 1`;
  return rows.length;
}

const maxRequestsToDelete = 500;

/**
 * Deletes requests whose content was erased. One with an idempotency key stays until a day after the latest end of its
 * conversation, however short the retention is: otherwise a repeated submit would make a second request.
 */
export async function deleteRequests(query: Query, retention: number): Promise<number> {
  const rows = await query`
    WITH oldest AS MATERIALIZED (
      SELECT request_id FROM request_stages
      WHERE stage = 'erased' AND at <= now() - ${retention}::float8 * interval '1 millisecond'
        AND (SELECT erased_at IS NOT NULL AND (expires_at < now() - interval '1 day' OR NOT EXISTS (
            SELECT 1 FROM idempotency_records AS record WHERE record.request_id = help_requests.id))
          FROM help_requests WHERE id = request_stages.request_id)
      ORDER BY at, request_id LIMIT ${maxRequestsToDelete}
    ),
    due AS MATERIALIZED (
      SELECT id FROM help_requests
      WHERE id = ANY(ARRAY(SELECT request_id FROM oldest)) AND erased_at IS NOT NULL FOR UPDATE SKIP LOCKED
    )
    DELETE FROM help_requests USING due WHERE help_requests.id = due.id
    RETURNING 1`;
  return rows.length;
}

const maxRecordsToDelete = 2_000;

/**
 * Deletes the records of submits that a repetition would no longer find: a day after the latest end of their conversation. Only
 * the oldest records are looked at, since most live equally long.
 */
export async function deleteIdempotency(query: Query): Promise<number> {
  const rows = await query`
    WITH oldest AS MATERIALIZED (
      SELECT api_key_id, key_digest, request_id FROM idempotency_records
      WHERE created_at < now() - interval '1 day'
      ORDER BY created_at LIMIT ${maxRecordsToDelete} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM idempotency_records AS record USING oldest, help_requests
    WHERE help_requests.id = oldest.request_id AND help_requests.expires_at < now() - interval '1 day'
      AND record.api_key_id = oldest.api_key_id AND record.key_digest = oldest.key_digest
    RETURNING 1`;
  return rows.length;
}

const maxSecretsToDelete = 500;

/** Deletes the digests of secrets that no longer work. */
export async function deleteSecrets(query: Query, retention: number): Promise<number> {
  const rows = await query`
    DELETE FROM api_key_secrets WHERE secret_digest IN (
      SELECT secret_digest FROM api_key_secrets JOIN api_keys ON api_keys.id = api_key_id
      WHERE LEAST(expires_at, revoked_at) <= now() - ${retention}::float8 * interval '1 millisecond'
      LIMIT ${maxSecretsToDelete} FOR UPDATE OF api_key_secrets SKIP LOCKED)
    RETURNING 1`;
  return rows.length;
}

const maxKeysToDelete = 500;

/** Deletes revoked keys without requests. */
export async function deleteKeys(query: Query, retention: number): Promise<number> {
  const rows = await query`
    DELETE FROM api_keys WHERE id IN (
      SELECT id FROM api_keys
      WHERE revoked_at <= now() - ${retention}::float8 * interval '1 millisecond'
        AND NOT EXISTS (SELECT 1 FROM help_requests WHERE consumer_key_id = api_keys.id)
      LIMIT ${maxKeysToDelete} FOR UPDATE SKIP LOCKED)
    RETURNING 1`;
  return rows.length;
}

const maxEventsToDelete = 500;

/**
 * Deletes outbox rows that can never be published, because they contain the beginnings of questions. The outbox leader
 * deletes the published ones.
 */
export async function deleteFailedEvents(query: Query, retention: number): Promise<number> {
  const rows = await query`
    DELETE FROM outbox_events WHERE id IN (
      SELECT id FROM outbox_events
      WHERE failed_at <= now() - ${retention}::float8 * interval '1 millisecond'
      ORDER BY failed_at LIMIT ${maxEventsToDelete} FOR UPDATE SKIP LOCKED)
    RETURNING 1`;
  return rows.length;
}
