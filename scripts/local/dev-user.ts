import { join } from 'node:path';
import { runCommand } from '../processes/run-command.ts';
import { getUrl } from './get-url.ts';
import { type Home, root } from './home.ts';
import { type DevUser, type Secrets, writeSecrets } from './secrets.ts';

/** The user `dev` with a key of each kind: the stored ones while they work, else new ones. */
export async function ensureDevUser(
  home: Home,
  secrets: Secrets,
  env: NodeJS.ProcessEnv,
  gatewayUrl: string,
): Promise<DevUser> {
  const { devUser } = secrets;
  if (devUser && (await keysWork(gatewayUrl, devUser))) return devUser;
  secrets.devUser = await createUser(env, 'dev');
  writeSecrets(home, secrets);
  return secrets.devUser;
}

/** A new user with a key of each kind, who can sign in at `POST /auth/dev` under the same name. */
export async function createUser(env: NodeJS.ProcessEnv, name: string): Promise<DevUser> {
  const admin = join(root, 'services/requests/dist/admin.js');
  const user = ['create-user', '--name', name, '--identity', `dev:${name}`];
  const printed = await runCommand({
    command: process.execPath,
    args: [admin, ...user, '--key', 'consumer', '--key', 'provider', '--json'],
    env,
    cwd: root,
    timeout: 120_000,
    failure: `The user "${name}" could not be made. The reason is above; repair it, then start again.`,
  });
  const { userId, keys } = JSON.parse(printed) as { userId: string; keys: { kind: string; key: string }[] };
  const keyOf = (kind: string) => keys.find((one) => one.kind === kind)?.key ?? '';
  return { userId, consumerKey: keyOf('consumer'), providerKey: keyOf('provider') };
}

/** False if a key is unknown: the database may be another one than last time, or the key may be revoked. */
async function keysWork(gatewayUrl: string, { consumerKey, providerKey }: DevUser): Promise<boolean> {
  const responses = [consumerKey, providerKey].map((key) =>
    getUrl(`${gatewayUrl}/api/v1/whoami`, { headers: { 'x-api-key': key }, timeoutMs: 30_000 }),
  );
  return (await Promise.all(responses)).every(({ status }) => status !== 401);
}
