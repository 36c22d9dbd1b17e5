import type { PrismaClient } from '@expert-relay/db';
import type { SignIn } from './find-or-make-user.ts';

/** `taken`: it belongs to another user. `exists`: the user has another account of this provider. */
export type JoinResult = 'joined' | 'taken' | 'exists';

/** Adds an identity to a user, who signs in with either from then on. */
export function joinIdentity(
  prisma: PrismaClient,
  userId: string,
  { provider, subject, label = null }: Pick<SignIn, 'provider' | 'subject'> & { label?: string | null },
): Promise<JoinResult> {
  return prisma.$transaction(async (transaction) => {
    // Two joins of one user wait for each other.
    await transaction.$queryRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR UPDATE`;
    const other = await transaction.identity.findFirst({
      where: { userId, provider, subject: { not: subject } },
    });
    if (other) return 'exists';
    // Two users who join the same account wait at its row: the second one finds it taken.
    await transaction.$executeRaw`
      INSERT INTO identities (provider, subject, user_id, label)
      VALUES (${provider}, ${subject}, ${userId}::uuid, ${label})
      ON CONFLICT (provider, subject) DO NOTHING`;
    const identity = await transaction.identity.findUnique({
      where: { provider_subject: { provider, subject } },
      select: { userId: true },
    });
    return identity?.userId === userId ? 'joined' : 'taken';
  });
}
