import { StartupError } from '@expert-relay/kit/lifecycle';
import type { Command } from './command.ts';
import { createUser } from './create-user.ts';
import { parseIdentity } from './find-user.ts';
import { parseOptions } from './parse-options.ts';

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

function keyKind(text: string): 'consumer' | 'provider' {
  if (text === 'consumer' || text === 'provider') return text;
  throw new StartupError('--key must be consumer or provider.');
}
