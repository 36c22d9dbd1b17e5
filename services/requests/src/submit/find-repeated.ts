import type { HelpRequest, PrismaClient } from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';
import type { InsertedRequest, NewRequest } from './insert-request.ts';

/** The request that an earlier try of the same submit made, by its call or by its idempotency key. */
export async function findRepeated(
  prisma: PrismaClient,
  { callId, consumerKeyId, idempotency }: NewRequest,
): Promise<InsertedRequest | undefined> {
  const select = { id: true, refCode: true, expiresAt: true } as const;
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

const asInserted = (request: Pick<HelpRequest, 'id' | 'refCode' | 'expiresAt'>): InsertedRequest => ({
  ...request,
  expiresAt: request.expiresAt.toISOString(),
});
