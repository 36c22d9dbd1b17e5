import { createHash } from 'node:crypto';
import type { HelpRequest, PrismaClient } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';
import type { IdempotencyKey, InsertedRequest, NewRequest } from './insert-request.ts';
import type { Submission } from './submit-schema.ts';

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The key is in the header `Idempotency-Key`, or in the body, since browsers may not send that header. */
export function idempotencyKeyOf(
  header: string | undefined,
  submission: Submission,
): IdempotencyKey | undefined {
  if (header !== undefined && (header.length < 1 || header.length > 255)) {
    throw new Problem('invalid_request', {
      fields: [{ path: 'Idempotency-Key', code: 'size', message: 'Expected 1 to 255 characters.' }],
    });
  }
  const { idempotencyKey, ...rest } = submission;
  const key = header ?? idempotencyKey;
  return key ? { keyDigest: sha256(key), bodyDigest: sha256(JSON.stringify(rest)) } : undefined;
}

/** Finds the request of an earlier attempt of the same submit, by its call id or its idempotency key. */
export async function findRepeated(
  prisma: PrismaClient,
  { callId, consumerKeyId, idempotency }: NewRequest,
): Promise<InsertedRequest | undefined> {
  const select = {
    ...{ id: true, refCode: true, createdAt: true, expiresAt: true },
    ...{ answerForm: true, agentName: true, agentVersions: true },
  } as const;
  if (!idempotency) {
    const request = await prisma.helpRequest.findUnique({ where: { callId, consumerKeyId }, select });
    return request ? asInserted(request) : undefined;
  }

  const record = await prisma.idempotencyRecord.findUnique({
    where: {
      apiKeyId_keyDigest: { apiKeyId: consumerKeyId, keyDigest: Uint8Array.from(idempotency.keyDigest) },
    },
    select: { bodyDigest: true, request: { select } },
  });
  if (!record) return undefined;
  if (!idempotency.bodyDigest.equals(record.bodyDigest)) throw new Problem('idempotency_key_reused');
  return asInserted(record.request);
}

const asInserted = (request: Pick<HelpRequest, keyof InsertedRequest>): InsertedRequest => ({
  ...request,
  createdAt: request.createdAt.toISOString(),
  expiresAt: request.expiresAt.toISOString(),
});
