import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '@expert-relay/db';
import type { KeyKind } from '@expert-relay/kit/api-key';
import { StartupError } from '@expert-relay/kit/lifecycle';
import { insertKey } from '../api-keys/insert-key.ts';
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
    if (!name) throw new StartupError(usage);
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
  const keys: CreatedUser['keys'] = [];
  for (const kind of user.keys) {
    const { text } = await insertKey(prisma, {
      userId,
      kind,
      name: `${user.name} (${kind})`,
      callId: randomUUID(),
    });
    keys.push({ kind, key: text });
  }
  return { userId, keys };
}
