import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { PrismaClient, User } from '@expert-relay/db';
import { StartupError } from '@expert-relay/kit/lifecycle';
import * as z from 'zod';

/** Writes to standard output, and waits until the text was written or buffered. */
export type Write = (text: string) => Promise<void>;

export interface AdminSettings {
  /** The address of the relay, for links. */
  readonly publicUrl: string;
}

export interface Command {
  readonly usage: string;
  /** Reads the arguments and throws a `StartupError` when they are wrong; returns the function that does the work. */
  read(
    args: readonly string[],
  ): (prisma: PrismaClient, write: Write, settings: AdminSettings) => Promise<void>;
}

type Options = NonNullable<ParseArgsConfig['options']>;
type OptionValues<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/** The values of a command's options; an unknown option is an error that shows the usage. */
export function parseOptions<const O extends Options>(
  args: readonly string[],
  options: O,
  usage: string,
): OptionValues<O> {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n\n${usage}`);
  }
}

/** The two ways to name a user on the command line. */
export interface UserName {
  readonly user?: string | undefined;
  readonly identity?: string | undefined;
}

export const userOptions = { user: { type: 'string' }, identity: { type: 'string' } } as const;

/** Checks that the command line names a user in one way; returns the function that finds the user. */
export function findUser(name: UserName, usage: string): (prisma: PrismaClient) => Promise<User> {
  const { user: id, identity } = name;
  if ((id === undefined) === (identity === undefined))
    throw new StartupError(`Name the user by --user or by --identity.\n\n${usage}`);
  if (id !== undefined && !z.uuid().safeParse(id).success) {
    throw new StartupError('--user must be a UUID, as `create-user` and GET /api/v1/whoami show it.');
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
