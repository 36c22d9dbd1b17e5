import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { testServers } from '@expert-relay/testkit';
import pg from 'pg';

const root = fileURLToPath(new URL('../..', import.meta.url));

async function runProgram(args: readonly string[], env: Record<string, string>): Promise<string> {
  return (await promisify(execFile)(process.execPath, [...args], { env, cwd: root })).stdout;
}

/** The content of the Secret for these servers, made by make-secrets.mjs. */
export async function makeSecret(servers: {
  databaseUrl: string;
  redisUrl: string;
  natsUrl: string;
}): Promise<Record<string, string>> {
  const text = await runProgram(['charts/expert-relay/make-secrets.mjs'], {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    NATS_URL: servers.natsUrl,
  });
  const entries = text.trimEnd().split('\n');
  return Object.fromEntries(entries.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
}

/** Migrates a database to the schema of this release. */
export async function migrate(databaseUrl: string): Promise<void> {
  await runProgram(['packages/db/dist/migrate.js'], { DATABASE_URL: databaseUrl });
}

const { databaseUrl: adminUrl } = testServers();

/** Runs one statement as the superuser of the test's Postgres, or of another. */
export async function asSuperuser(statement: string, serverUrl = adminUrl): Promise<void> {
  const client = new pg.Client(serverUrl);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Creates an empty database, which is dropped at the end of the test. */
export async function makeDatabase(serverUrl = adminUrl): Promise<{ url: string } & AsyncDisposable> {
  const name = `relay_operations_${randomBytes(6).toString('hex')}`;
  await asSuperuser(`CREATE DATABASE ${name}`, serverUrl);
  return {
    url: Object.assign(new URL(serverUrl), { pathname: name }).href,
    [Symbol.asyncDispose]: () => asSuperuser(`DROP DATABASE ${name} WITH (FORCE)`, serverUrl),
  };
}

/** A user with keys of both kinds, made by the admin command. */
export async function createUser(
  databaseUrl: string,
): Promise<{ userId: string; consumerKey: string; providerKey: string }> {
  const command = 'create-user --name ada --key consumer --key provider --json'.split(' ');
  const text = await runProgram(['services/requests/dist/admin.js', ...command], {
    DATABASE_URL: databaseUrl,
  });
  const { userId, keys } = JSON.parse(text) as { userId: string; keys: { kind: string; key: string }[] };
  const keyOf = (kind: string) => keys.find((one) => one.kind === kind)?.key ?? '';
  return { userId, consumerKey: keyOf('consumer'), providerKey: keyOf('provider') };
}
