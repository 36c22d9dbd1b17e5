import type { PrismaClient } from '@expert-relay/db';

export interface SignedInIdentity {
  /** `github`, `google` or `oidc`; `dev` in the local run, `admin` of a user whom the operator has made. */
  provider: string;
  /** The provider's own id of the account, which it never reuses. */
  subject: string;
  name: string;
  /** The name of the account for its owner: a login or an address. */
  label?: string | undefined;
  email?: string | undefined;
}

/** Finds the user of an identity, or creates it. Accounts are never joined by name or email. */
export async function findOrCreateUser(
  prisma: PrismaClient,
  { provider, subject, name, label, email }: SignedInIdentity,
): Promise<{ userId: string }> {
  const where = { provider_subject: { provider, subject } };
  const find = () => prisma.identity.findUnique({ where, select: { userId: true, label: true } });
  const found = await find();
  if (found) {
    const { userId } = found;
    if (label && label !== found.label) {
      await prisma.identity.updateMany({ where: { provider, subject }, data: { label } });
    }
    return { userId };
  }
  try {
    const [created] = await prisma.$queryRaw<{ userId: string }[]>`
      WITH created AS (
        INSERT INTO users (name, email) VALUES (${name}, ${email ?? null}) RETURNING id
      )
      INSERT INTO identities (provider, subject, user_id, label)
      SELECT ${provider}, ${subject}, id, ${label ?? null} FROM created
      RETURNING user_id AS "userId"`;
    if (created) return created;
  } catch (error) {
    // Of two first sign-ins at the same time, the slower one is rolled back and finds the user of the other.
    const existing = await find();
    if (existing) return { userId: existing.userId };
    throw error;
  }
  throw new Error('the user was not created');
}

/** `taken`: the identity belongs to another user. `exists`: the user has another identity of this provider. */
export type JoinResult = 'joined' | 'taken' | 'exists';

/** Joins an identity to a user, who can sign in with it then. */
export function joinIdentity(
  prisma: PrismaClient,
  userId: string,
  {
    provider,
    subject,
    label = null,
  }: Pick<SignedInIdentity, 'provider' | 'subject'> & { label?: string | null },
): Promise<JoinResult> {
  return prisma.$transaction(async (transaction) => {
    // The lock makes two joins of one user run one after the other.
    await transaction.$queryRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR UPDATE`;
    const other = await transaction.identity.findFirst({
      where: { userId, provider, subject: { not: subject } },
    });
    if (other) return 'exists';
    // When two users join the same identity, the second statement waits for the first one, and then inserts nothing.
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

/** Removes a user's identity of a provider, unless it is the last one of the `usable` providers. */
export function removeIdentity(
  prisma: PrismaClient,
  userId: string,
  { provider, usable }: { provider: string; usable: readonly string[] },
): Promise<RemoveResult> {
  return prisma.$transaction(async (transaction) => {
    // The lock makes two removals of one user run one after the other, since the second one may be of the last identity.
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
