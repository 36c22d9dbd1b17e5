import type { PrismaClient } from '@expert-relay/db';

export interface SignIn {
  /** `github`, `google`, or `dev` in the local run. */
  provider: string;
  /** The provider's own id of the account, which it never reuses. */
  subject: string;
  name: string;
  /** The account as its owner knows it: a login or an address. */
  label?: string | undefined;
  email?: string | undefined;
}

/** The user behind an identity. Accounts are never joined by name or e-mail. */
export async function findOrMakeUser(prisma: PrismaClient, signIn: SignIn): Promise<{ userId: string }> {
  const identity = { provider_subject: { provider: signIn.provider, subject: signIn.subject } };
  const find = () => prisma.identity.findUnique({ where: identity, select: { userId: true, label: true } });
  const found = await find();
  if (found) {
    const { userId } = found;
    if (signIn.label && signIn.label !== found.label) {
      await prisma.identity.updateMany({ where: signInOf(signIn), data: { label: signIn.label } });
    }
    return { userId };
  }
  try {
    const [made] = await prisma.$queryRaw<{ userId: string }[]>`
      WITH made AS (
        INSERT INTO users (name, email) VALUES (${signIn.name}, ${signIn.email ?? null}) RETURNING id
      )
      INSERT INTO identities (provider, subject, user_id, label)
      SELECT ${signIn.provider}, ${signIn.subject}, id, ${signIn.label ?? null} FROM made
      RETURNING user_id AS "userId"`;
    if (made) return made;
  } catch (error) {
    // Of two first sign-ins at the same time the slower one is rolled back, and the other's user is found.
    const winner = await find();
    if (winner) return { userId: winner.userId };
    throw error;
  }
  throw new Error('the user was not made');
}

const signInOf = ({ provider, subject }: SignIn) => ({ provider, subject });

/** `taken`: it belongs to another user. `exists`: the user has another account of this provider. */
export type JoinResult = 'joined' | 'taken' | 'exists';

/** Adds an identity to a user, who signs in with either from then on. */
export function joinIdentity(
  prisma: PrismaClient,
  userId: string,
  { provider, subject, label = null }: Pick<SignIn, 'provider' | 'subject'> & { label?: string | null },
): Promise<JoinResult> {
  return prisma.$transaction(async (transaction) => {
    // Two joins of one user are serialised.
    await transaction.$queryRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR UPDATE`;
    const other = await transaction.identity.findFirst({
      where: { userId, provider, subject: { not: subject } },
    });
    if (other) return 'exists';
    // Two users who join the same account are serialised by its row: the second one finds it taken.
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

export type RemoveResult = 'removed' | 'unknown' | 'last';

/** Removes a user's identity of a provider, unless no other one is left of the providers that are `usable`. */
export function removeIdentity(
  prisma: PrismaClient,
  userId: string,
  { provider, usable }: { provider: string; usable: readonly string[] },
): Promise<RemoveResult> {
  return prisma.$transaction(async (transaction) => {
    // Two removals of one user are serialised: the second one may be about the last identity.
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
