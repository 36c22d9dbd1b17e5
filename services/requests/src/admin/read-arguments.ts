import { parseArgs } from 'node:util';
import type { KeyKind } from '@expert-relay/kit/api-key';
import { StartupError } from '@expert-relay/kit/lifecycle';

const usage = `Makes a user and API keys.

  node services/requests/dist/admin.js create-user --name NAME [options]

  --name NAME                  how the user is called
  --identity PROVIDER:SUBJECT  how the user signs in, such as github:1234567; default admin:NAME.
                               One that exists gets further keys.
  --key consumer|provider      makes a key of this kind; may be given several times
  --json                       prints JSON: {"userId", "keys": [{"kind", "key"}]}

It reads DATABASE_URL. Each key is shown this once and stored nowhere.
`;

export interface CreateUserArguments {
  name: string;
  provider: string;
  subject: string;
  keys: KeyKind[];
  json: boolean;
}

export function readArguments(args: readonly string[]): CreateUserArguments {
  const { values, positionals } = parse(args);
  const { name, json = false } = values;
  if (positionals.join(' ') !== 'create-user' || !name) throw new StartupError(usage);
  const [provider = '', ...subject] = (values.identity ?? `admin:${name}`).split(':');
  if (!provider || !subject.join(':'))
    throw new StartupError('--identity must be PROVIDER:SUBJECT, such as github:1234567.');
  const keys = (values.key ?? []).map((kind) => {
    if (kind !== 'consumer' && kind !== 'provider')
      throw new StartupError('--key must be consumer or provider.');
    return kind;
  });
  return { name, provider, subject: subject.join(':'), keys, json };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        identity: { type: 'string' },
        key: { type: 'string', multiple: true },
        json: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n\n${usage}`);
  }
}
