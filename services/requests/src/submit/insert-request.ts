import { newRequestEvent } from '@expert-relay/contracts';
import { eventParts, type Query, refCodeColumn, type Sql, sql } from '@expert-relay/db';
import { formKindOf, type Submission } from './submit-schema.ts';

/** Identifies a repeated submit. */
export interface IdempotencyKey {
  keyDigest: Buffer;
  bodyDigest: Buffer;
}

export interface NewRequest {
  id: string;
  /** Without its prefix. */
  refCode: string;
  userId: string;
  consumerKeyId: string;
  callId: string;
  ttl: number;
  submission: Submission;
  idempotency: IdempotencyKey | undefined;
}

export interface InsertedRequest {
  id: string;
  refCode: string;
  createdAt: string;
  expiresAt: string;
  answerForm: string | null;
  agentName: string | null;
  agentVersions: string | null;
}

/** `InsertedRequest`, of a table or subquery with the columns of `help_requests`. */
export const insertedColumns = sql`
  id, ${refCodeColumn}, created_at AS "createdAt", expires_at AS "expiresAt",
  answer_form AS "answerForm", agent_name AS "agentName", agent_versions AS "agentVersions"`;

/** The contract requires that the last 10 messages are kept. */
const keptMessages = 10;

/**
 * Inserts request, event and idempotency record in one statement. Returns `undefined` when the call id, the idempotency key
 * or the reference code exists already; `findRepeated` finds an earlier attempt.
 */
export async function insertRequest(query: Query, request: NewRequest): Promise<InsertedRequest | undefined> {
  try {
    return await insert(query, request);
  } catch (error) {
    // The whole statement is undone, also the idempotency record. `ON CONFLICT` would cost more, since it reads before each
    // insert.
    if (hasState(error, '23505')) return undefined;
    throw error;
  }
}

async function insert(query: Query, request: NewRequest): Promise<InsertedRequest | undefined> {
  const { submission } = request;
  const rows = await query<InsertedRequest>`
    WITH claim AS (${claim(request)}),
    request AS (
      INSERT INTO help_requests (
        id, ref_code, user_id, consumer_key_id, call_id, question, plaintext, context,
        answer_form, form_kind, agent_name, agent_versions, tags, follows, consumer_sign_pub_key, consumer_encrypt_pub_key, expires_at)
      SELECT
        ${request.id}, ${request.refCode}, ${request.userId}::uuid, ${request.consumerKeyId}::uuid,
        ${request.callId}::uuid, ${submission.question}, ${submission.plaintext},
        ${JSON.stringify(submission.messages.slice(-keptMessages))}::json,
        ${submission.answerForm}, ${submission.answerForm && formKindOf(submission.answerForm)}::form_kind,
        ${submission.agentName}, ${submission.agentVersions}, ${submission.tags}::text[],
        ${submission.follows && JSON.stringify(submission.follows)}::json,
        ${submission.consumerSignPubKey}, ${submission.consumerEncryptPubKey},
        now() + make_interval(secs => ${request.ttl / 1000}::float8)
      FROM claim
      RETURNING id, ref_code, user_id, created_at, expires_at, answer_form, agent_name, agent_versions
    ),
    ${eventParts({
      ...newRequestEvent(submission),
      from: sql`SELECT user_id, id AS request_id, ref_code, 1 AS seq FROM request`,
    })}
    SELECT ${insertedColumns} FROM request`;
  return rows[0];
}

/** Selects a row when this submit may be inserted. A second submit with the same key waits here for the first one. */
function claim({ idempotency, consumerKeyId, id }: NewRequest): Sql {
  if (!idempotency) return sql`SELECT 1`;
  return sql`
    INSERT INTO idempotency_records AS record (api_key_id, key_digest, body_digest, request_id)
    VALUES (${consumerKeyId}::uuid, ${idempotency.keyDigest}, ${idempotency.bodyDigest}, ${id})
    ON CONFLICT (api_key_id, key_digest) DO UPDATE
      SET body_digest = EXCLUDED.body_digest, request_id = EXCLUDED.request_id, created_at = now()
      WHERE (SELECT expires_at FROM help_requests WHERE id = record.request_id) < now() - interval '1 day'
    RETURNING 1`;
}

/** Whether Postgres has refused a statement with this SQLSTATE. */
const hasState = (error: unknown, state: string): boolean =>
  error instanceof Error && 'code' in error && error.code === state;
