import type { PrismaClient } from '@expert-relay/db';

export type RemoveResult = 'removed' | 'unknown' | 'last';

/** Removes a user's identity of a provider, unless no other one is left of the providers that are `usable`. */
export function removeIdentity(
  prisma: PrismaClient,
  userId: string,
  { provider, usable }: { provider: string; usable: readonly string[] },
): Promise<RemoveResult> {
  return prisma.$transaction(async (transaction) => {
    // Two removals of one user wait for each other: the second one may be about the last identity.
    await transaction.$queryRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR UPDATE`;
    const identities = await transaction.identity.findMany({ where: { userId }, select: { provider: true } });
    if (!identities.some((identity) => identity.provider === provider)) return 'unknown';
    const isAnotherLeft = identities.some(
      (identity) => identity.provider !== provider && usable.includes(identity.provider),
    );
    if (!isAnotherLeft) return 'last';
    await transaction.identity.deleteMany({ where: { userId, provider } });
    return 'removed';
  });
}
