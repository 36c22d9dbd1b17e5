import type { PrismaClient } from '@expert-relay/db';

/**
 * Removes a user with keys, identities and vault, once nothing else is left; gives whether. The lock keeps
 * new keys and requests out: they refer to the user's row.
 */
export function deleteUser(prisma: PrismaClient, userId: string): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR UPDATE`;
    const { helpRequest, apiKey, outboxEvent, user } = transaction;
    if ((await helpRequest.count({ where: { userId } })) > 0) return false;
    if ((await apiKey.count({ where: { userId, revokedAt: null } })) > 0) return false;
    // Those that wait or were published are told and removed by the outbox; these the worker would keep for
    // the retention. So it does with one of many users, which says no more of this one than ids (docs/adr/0009).
    await outboxEvent.deleteMany({ where: { userId, failedAt: { not: null } } });
    await user.delete({ where: { id: userId } });
    return true;
  });
}
