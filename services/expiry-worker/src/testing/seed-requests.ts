import { randomUUID } from 'node:crypto';
import { makeRefCode, makeRequestId, type PrismaClient } from '@expert-relay/db';

/** Inserts open requests of a new user. The first is due in `dueIn` milliseconds (or was, if negative), each next one `apart` later. */
export async function seedRequests(
  prisma: PrismaClient,
  options: { count: number; dueIn: number; apart?: number },
): Promise<string[]> {
  const { count, dueIn, apart = 0 } = options;
  const { id: userId } = await prisma.user.create({ data: { name: 'expiry' } });
  const { id: keyId } = await prisma.apiKey.create({
    data: { userId, kind: 'consumer', name: 'agent', lastFour: 'abcd', callId: randomUUID() },
  });
  const ids = Array.from({ length: count }, makeRequestId);
  await prisma.$executeRaw`
    INSERT INTO help_requests (id, ref_code, user_id, consumer_key_id, context, call_id, created_at, expires_at)
    SELECT id, ref_code, ${userId}::uuid, ${keyId}::uuid, '[]', gen_random_uuid(), now() - interval '72 hours',
      now() + (${dueIn} + (position - 1) * ${apart}) * interval '1 millisecond'
    FROM unnest(${ids}::text[], ${ids.map(makeRefCode)}::text[]) WITH ORDINALITY AS row (id, ref_code, position)`;
  return ids;
}
