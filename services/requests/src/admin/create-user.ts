import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '@expert-relay/db';
import type { KeyKind } from '@expert-relay/kit/api-key';
import { StartupError } from '@expert-relay/kit/lifecycle';
import { Problem } from '@expert-relay/kit/problem';
import { insertKeys, maxKeys } from '../api-keys/insert-keys.ts';
import { findOrCreateUser } from '../users/identities.ts';
import { type Command, parseIdentity, parseOptions } from './command.ts';

const usage = `Creates a user and API keys.

  node services/requests/dist/admin.js create-user --name NAME [options]

  --name NAME                  the name of the user
  --identity PROVIDER:SUBJECT  the account of the user, such as github:1234567; default admin:NAME.
                               An existing user gets further keys.
  --key consumer|provider      creates a key of this kind; may be given several times
  --json                       prints JSON: {"userId", "keys": [{"kind", "key"}]}

It reads DATABASE_URL. The keys are shown only now, and are stored nowhere.
`;

const options = {
  name: { type: 'string' },
  identity: { type: 'string' },
  key: { type: 'string', multiple: true },
  json: { type: 'boolean', default: false },
} as const;

export const createUserCommand: Command = {
  usage,
  read(args) {
    const { name, identity, key = [], json } = parseOptions(args, options, usage);
    if (!name) throw new StartupError(`--name is missing or empty.\n\n${usage}`);
    const signIn = parseIdentity(identity ?? `admin:${name}`);
    const keys = key.map(keyKind);
    return async (prisma, write) => {
      const created = await createUser(prisma, { name, ...signIn, keys });
      const lines = [
        `user ${created.userId}`,
        ...created.keys.map(({ kind, key: text }) => `${kind} key ${text}`),
      ];
      await write(json ? `${JSON.stringify(created)}\n` : `${lines.join('\n')}\n`);
    };
  },
};

function keyKind(text: string): KeyKind {
  if (text === 'consumer' || text === 'provider') return text;
  throw new StartupError('--key must be consumer or provider.');
}

export interface CreatedUser {
  userId: string;
  /** The only copies of the keys. */
  keys: { kind: KeyKind; key: string }[];
}

/** Creates a user who has never signed in, and API keys. An existing user gets further keys. */
export async function createUser(
  prisma: PrismaClient,
  user: { name: string; provider: string; subject: string; keys: readonly KeyKind[] },
): Promise<CreatedUser> {
  const { userId } = await findOrCreateUser(prisma, user);
  const keys = user.keys.map((kind) => ({
    userId,
    kind,
    name: kind === 'consumer' ? 'first agent' : 'first script',
    callId: randomUUID(),
  }));
  const created = await insertKeys(prisma, keys).catch((error) => {
    if (!(error instanceof Problem && error.code === 'too_many_keys')) throw error;
    throw new StartupError(
      `A user has at most ${maxKeys} keys that are not revoked, and ${userId} would have more. No key was created: ` +
        'revoke keys that are no longer needed on the page "Agent keys" first.',
    );
  });
  return { userId, keys: created.map(({ view, text }) => ({ kind: view.kind, key: text })) };
}
