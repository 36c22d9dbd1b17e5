import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '@expert-relay/db';
import type { KeyKind } from '@expert-relay/kit/api-key';
import { StartupError } from '@expert-relay/kit/lifecycle';
import { insertKey } from '../api-keys/insert-key.ts';
import { findOrMakeUser } from '../users/identities.ts';
import { type Command, parseIdentity, parseOptions } from './command.ts';

const usage = `Makes a user and API keys.

  node services/requests/dist/admin.js create-user --name NAME [options]

  --name NAME                  how the user is called
  --identity PROVIDER:SUBJECT  how the user signs in, such as github:1234567; default admin:NAME.
                               One that exists gets further keys.
  --key consumer|provider      makes a key of this kind; may be given several times
  --json                       prints JSON: {"userId", "keys": [{"kind", "key"}]}

It reads DATABASE_URL. Each key is shown this once and stored nowhere.
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
  /** In full, for the first and last time. */
  keys: { kind: KeyKind; key: string }[];
}

/** Creates a user with keys, where signing in is not possible yet. An identity that exists gets further keys. */
export async function createUser(
  prisma: PrismaClient,
  user: { name: string; provider: string; subject: string; keys: readonly KeyKind[] },
): Promise<CreatedUser> {
  const { userId } = await findOrMakeUser(prisma, user);
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
