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
    // Two first sign-ins at once: the slower one's user was rolled back, the other's is there now.
    const winner = await find();
    if (winner) return { userId: winner.userId };
    throw error;
  }
  throw new Error('the user was not made');
}

const signInOf = ({ provider, subject }: SignIn) => ({ provider, subject });
