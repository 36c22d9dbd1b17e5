import type { PrismaClient, User } from '@expert-relay/db';
import { StartupError } from '@expert-relay/kit/lifecycle';
import { z } from 'zod';

/** How the command line names a user. */
export interface UserName {
  readonly user?: string | undefined;
  readonly identity?: string | undefined;
}

export const userOptions = { user: { type: 'string' }, identity: { type: 'string' } } as const;

/** Checks that the command line names a user in one of the two ways; gives who looks it up. */
export function findUser(name: UserName, usage: string): (prisma: PrismaClient) => Promise<User> {
  const { user: id, identity } = name;
  if ((id === undefined) === (identity === undefined)) throw new StartupError(usage);
  if (id !== undefined && !z.uuid().safeParse(id).success) {
    throw new StartupError('--user must be a UUID, as `create-user` prints it and GET /api/v1/whoami tells.');
  }
  const signIn = identity === undefined ? undefined : parseIdentity(identity);
  return async (prisma) => {
    const where = signIn ? { identities: { some: signIn } } : { id: id ?? '' };
    const found = await prisma.user.findFirst({ where });
    if (!found)
      throw new StartupError(`There is no user ${id ?? identity} in this database. Nothing was done.`);
    return found;
  };
}

export function parseIdentity(text: string): { provider: string; subject: string } {
  const [provider = '', ...rest] = text.split(':');
  const subject = rest.join(':');
  if (!provider || !subject)
    throw new StartupError('--identity must be PROVIDER:SUBJECT, such as github:1234567.');
  return { provider, subject };
}
