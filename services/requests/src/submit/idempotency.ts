import { createHash } from 'node:crypto';
import type { Query } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';
import {
  type IdempotencyKey,
  type InsertedRequest,
  insertedColumns,
  type NewRequest,
} from './insert-request.ts';
import type { Submission } from './submit-schema.ts';

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * The key is in the header `Idempotency-Key`, or in the body, since browsers may not send that header. Clients encode other
 * characters of a header in several ways, and the same key must not be two.
 */
export function idempotencyKeyOf(
  header: string | undefined,
  submission: Submission,
): IdempotencyKey | undefined {
  if (header !== undefined && (header.length < 1 || header.length > 255))
    throw wrongHeader('size', 'Expected 1 to 255 characters.');
  if (header !== undefined && !/^[\x20-\x7e]*$/.test(header))
    throw wrongHeader(
      'format',
      'Expected printable ASCII. Send a key with other characters as `idempotencyKey` in the body.',
    );
  const { idempotencyKey, ...rest } = submission;
  const key = header ?? idempotencyKey;
  if (!key) return undefined;
  return { keyDigest: sha256(key), bodyDigest: sha256(JSON.stringify(withoutNull(rest))) };
}

const wrongHeader = (code: string, message: string) =>
  new Problem('invalid_request', { fields: [{ path: 'Idempotency-Key', code, message }] });

/** `null` counts as missing. Inside of members, the schema accepts none. */
const withoutNull = (body: object): object =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

/** Finds the request of an earlier attempt of the same submit, by its call id or its idempotency key. */
export async function findRepeated(
  query: Query,
  { callId, consumerKeyId, idempotency, submission }: NewRequest,
): Promise<InsertedRequest | undefined> {
  if (!idempotency) {
    const [request] = await query<InsertedRequest>`
      SELECT ${insertedColumns} FROM help_requests
      WHERE call_id = ${callId}::uuid AND consumer_key_id = ${consumerKeyId}::uuid`;
    return request;
  }

  const [record] = await query<InsertedRequest & { bodyDigest: Buffer }>`
    SELECT ${insertedColumns}, body_digest AS "bodyDigest"
    FROM help_requests JOIN (
      SELECT request_id, body_digest FROM idempotency_records
      WHERE api_key_id = ${consumerKeyId}::uuid AND key_digest = ${idempotency.keyDigest}
    ) AS record ON record.request_id = help_requests.id`;
  if (!record) return undefined;
  const { bodyDigest, ...request } = record;
  if (!bodyDigest.equals(idempotency.bodyDigest)) throw new Problem('idempotency_key_reused');
  // The retention may have erased them. The first submit had the same body.
  const { answerForm = null, agentName = null, agentVersions = null } = submission;
  return { ...request, answerForm, agentName, agentVersions };
}
