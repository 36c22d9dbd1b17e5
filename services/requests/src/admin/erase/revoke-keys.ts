import type { PrismaClient } from '@expert-relay/db';
import { revokeKey } from '../../api-keys/revoke-key.ts';

const pageSize = 100;

/** Revokes all keys of a user that still work, each with its event; gives how many. */
export async function revokeKeys(prisma: PrismaClient, userId: string): Promise<number> {
  for (let count = 0; ; ) {
    const keys = await prisma.apiKey.findMany({
      where: { userId, revokedAt: null },
      select: { id: true },
      take: pageSize,
    });
    if (keys.length === 0) return count;
    for (const { id: keyId } of keys) await revokeKey(prisma, { keyId, userId });
    count += keys.length;
  }
}
