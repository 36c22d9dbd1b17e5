import type { PrismaClient } from '@expert-relay/db';

export interface SignIn {
  /** `github`, `google`, or `dev` in the local run. */
  provider: string;
  /** Who the provider says it is; never reused by the provider. */
  subject: string;
  name: string;
  email?: string | undefined;
}

/** The user behind an identity. Accounts are never joined by name or e-mail. */
export async function findOrMakeUser(prisma: PrismaClient, signIn: SignIn): Promise<{ userId: string }> {
  const identity = { provider_subject: { provider: signIn.provider, subject: signIn.subject } };
  const find = () => prisma.identity.findUnique({ where: identity, select: { userId: true } });
  const found = await find();
  if (found) return found;
  try {
    const [made] = await prisma.$queryRaw<{ userId: string }[]>`
      WITH made AS (
        INSERT INTO users (name, email) VALUES (${signIn.name}, ${signIn.email ?? null}) RETURNING id
      )
      INSERT INTO identities (provider, subject, user_id)
      SELECT ${signIn.provider}, ${signIn.subject}, id FROM made
      RETURNING user_id AS "userId"`;
    if (made) return made;
  } catch (error) {
    // Two first sign-ins at once: the slower one's user was rolled back, the other's is there now.
    const winner = await find();
    if (winner) return winner;
    throw error;
  }
  throw new Error('the user was not made');
}
