import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { runCommand } from '../processes/run-command.ts';
import { type Home, root } from './home.ts';
import { type DevUser, type Secrets, writeSecrets } from './secrets.ts';

const keysInForce = `
  SELECT 1 FROM api_key_secrets secret JOIN api_keys key ON key.id = secret.api_key_id
  WHERE key.user_id = $1 AND secret.secret_digest = ANY($2)
    AND key.revoked_at IS NULL AND (secret.expires_at IS NULL OR secret.expires_at > now())`;

/** The user `dev` with a key of each kind: the stored ones while they work, else new ones. */
export async function ensureDevUser(home: Home, secrets: Secrets, env: NodeJS.ProcessEnv): Promise<DevUser> {
  const kept = secrets.devUser;
  if (kept && (await keysWork(env.DATABASE_URL ?? '', kept))) return kept;
  const user = await createUser(env, 'dev');
  secrets.devUser = user;
  writeSecrets(home, secrets);
  return user;
}

/** A new user with a key of each kind, who can sign in at `POST /auth/dev` under the same name. */
export async function createUser(env: NodeJS.ProcessEnv, name: string): Promise<DevUser> {
  const printed = await runCommand({
    command: process.execPath,
    args: [
      ...[
        join(root, 'services/requests/dist/admin.js'),
        'create-user',
        '--name',
        name,
        '--identity',
        `dev:${name}`,
      ],
      ...['--key', 'consumer', '--key', 'provider', '--json'],
    ],
    env,
    cwd: root,
    timeout: 120_000,
    failure: `The user "${name}" could not be made. The reason is above; repair it, then start again.`,
  });
  const { userId, keys } = JSON.parse(printed) as { userId: string; keys: { kind: string; key: string }[] };
  const keyOf = (kind: string) => keys.find((one) => one.kind === kind)?.key ?? '';
  return { userId, consumerKey: keyOf('consumer'), providerKey: keyOf('provider') };
}

/** Whether both keys work: the database may be another one than last time, or the keys may be revoked. */
async function keysWork(databaseUrl: string, user: DevUser): Promise<boolean> {
  const digests = [user.consumerKey, user.providerKey].map((key) =>
    createHash('sha256').update(key).digest(),
  );
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 8_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(keysInForce, [user.userId, digests]);
    return rows.length === 2;
  } finally {
    await client.end().catch(() => undefined);
  }
}
