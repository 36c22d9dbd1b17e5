import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, testServers } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { redisUsers, renderNatsUsers } from '../../scripts/chart/server-users.ts';
import { findTools, requireTool, whyMissing } from '../../scripts/servers/find-tool.ts';
import { nats } from '../../scripts/servers/nats.ts';
import { redis } from '../../scripts/servers/redis.ts';
import { type OwnServer, startOwnServer } from '../../scripts/servers/testing/start-own-server.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { postgresTools, postgresWithTools, redisCli } from '../tools.ts';
import { callAll, type Load } from './call-all.ts';
import { commandsOf, openShell, type Shell } from './page-commands.ts';
import { type Product, runProduct } from './run-product.ts';
import { asSuperuser, createUser, makeSecret, migrate } from './run-programs.ts';

/*
 * The rotations, with the commands of docs/rotating-secrets.md, during calls of every kind: no call may fail. They replace about
 * thirty processes, so they run only on request: RELAY_TEST_ROTATIONS=true npm run test:all -- test/operations/rotations
 */
const isOn = process.env.RELAY_TEST_ROTATIONS === 'true';
// The programs are fetched only where they are needed.
const tools = isOn ? await findTools([nats, postgresWithTools, redisCli]) : [];
const [missing] = isOn
  ? tools.flatMap((tool) => whyMissing(tool) ?? [])
  : ['RELAY_TEST_ROTATIONS is not "true"'];
const rotation = testUnless(missing);

const password = () => `k${randomBytes(12).toString('hex')}`;
const passwords: Record<string, string> = {};
const passwordOf = (user: string) => (passwords[user] ??= password());

const folder = mkdtempSync(join(tmpdir(), 'relay-rotations-'));
const natsConfig = join(folder, 'nats.conf');
const natsPid = join(folder, 'nats.pid');
const natsUsers = renderNatsUsers().replace(/\$NATS_PASSWORD_([A-Z]+)/g, (_, user: string) =>
  passwordOf(user),
);

const owner = `relay_${randomBytes(4).toString('hex')}`;
/** The URL of the test's database, for a superuser. */
const adminUrl = Object.assign(new URL(testServers().databaseUrl), { pathname: owner }).href;
let natsText = '';
let ownNats: OwnServer;
let ownRedis: OwnServer;
let secret: Record<string, string>;
let product: Product;
let shell: Shell;
let load: Load;

beforeAll(async () => {
  if (missing !== undefined) return;
  ownNats = await startOwnServer({
    ...nats,
    url: ({ port }) => `nats://hub:${passwordOf('HUB')}@127.0.0.1:${port}`,
    runProgram({ data, port }, { path }) {
      // JetStream must be in the file, because a reload switches off settings that are only on the command line.
      natsText = `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${data}" }\n${natsUsers}`;
      writeFileSync(natsConfig, natsText);
      return { command: path, args: ['--config', natsConfig, '--pid', natsPid] };
    },
  });
  ownRedis = await startOwnServer({
    ...redis,
    url: ({ port }) => `redis://admin:${passwordOf('admin')}@127.0.0.1:${port}`,
    runProgram(place, program) {
      const launch = redis.runProgram(place, program);
      const admin = ['--user', 'admin', 'on', `>${passwordOf('admin')}`, '~*', '&*', '+@all'];
      return { ...launch, args: [...launch.args, ...admin, ...redisUsers('relay', passwordOf).flat()] };
    },
  });
  const ownerPassword = password();
  await asSuperuser(`CREATE ROLE ${owner} LOGIN PASSWORD '${ownerPassword}'`);
  await asSuperuser(`CREATE DATABASE ${owner} OWNER ${owner}`);
  const databaseUrl = withUser(adminUrl, owner, ownerPassword);
  await migrate(databaseUrl);
  secret = await makeSecret({ natsUrl: ownNats.url, redisUrl: ownRedis.url, databaseUrl });
  for (const user of ['gateway', 'requests', 'messages', 'hub']) {
    secret[`NATS_URL_${user.toUpperCase()}`] = withUser(ownNats.url, user, passwordOf(user.toUpperCase()));
  }
  secret.REDIS_URL_DASHBOARD = withUser(ownRedis.url, 'dashboard', passwordOf('dashboard'));
  secret.REDIS_URL_EXPIRY_WORKER = withUser(ownRedis.url, 'expiry-worker', passwordOf('expiry-worker'));
  product = await runProduct({ secret, settings });
  const [natsServer, postgresProgram, cli] = tools.map(requireTool);
  if (!natsServer || !postgresProgram || !cli) return;
  shell = await openShell(product, secret, [natsServer, ...postgresTools(postgresProgram), cli]);
});
afterAll(async () => {
  if (missing !== undefined) return;
  await shell?.[Symbol.asyncDispose]();
  await product?.[Symbol.asyncDispose]();
  await ownNats?.stop();
  await ownRedis?.stop();
  await asSuperuser(`DROP DATABASE IF EXISTS ${owner} WITH (FORCE)`);
  await asSuperuser(`DROP ROLE IF EXISTS ${owner}_3, ${owner}_2, ${owner}`);
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  if (missing !== undefined) return;
  load = await callAll(product, await createUser(adminUrl));
  await waitForCalls();
});
afterEach(() => load?.stop());

const settings = {
  RELAY_DATABASE_POOL: '2',
  RELAY_RATE_LIMIT_API: '0',
  RELAY_RATE_LIMIT_PAGES: '0',
  RELAY_RATE_LIMIT_POLL: '0',
};

rotation('keys of the relay', async () => {
  const before = { ...secret };
  const [, useNew = '', removeOld = ''] = commandsOf('Keys of the relay');
  await shell.run(useNew);
  await waitForCalls();
  await shell.run(removeOld);
  await waitForCalls();
  const changed = Object.keys(secret).filter((name) => secret[name] !== before[name]);
  expect(changed.sort()).toEqual(
    Object.keys(before)
      // Those of push have steps of their own.
      .filter((name) => name.startsWith('RELAY_') && name !== 'RELAY_VAPID_KEYS')
      .sort(),
  );
  expect(Object.values(secret).filter((value) => value.includes(','))).toEqual([]);
});

rotation('password for Postgres', async () => {
  // The owner of the tables is "relay" on the page.
  const commands = commandsOf('Password for Postgres')
    .join('')
    .replaceAll(/(IN ROLE|role =) relay/g, `$1 ${owner}`);
  const oldRoles = [owner, `${owner}_2`];
  for (const [index, oldRole] of oldRoles.entries()) {
    const [newRole, newPassword] = [`${owner}_${index + 2}`, password()];
    await shell.run(commands, {
      ADMIN_URL: adminUrl,
      OLD_ROLE: oldRole,
      NEW_ROLE: newRole,
      NEW_PASSWORD: newPassword,
      NEW_URL: withUser(adminUrl, newRole, newPassword),
    });
    await waitForCalls();
  }
  await asSuperuser(`DROP ROLE ${owner}_2`);
});

rotation('passwords for Redis', async () => {
  const newPassword = password();
  const [commands = ''] = commandsOf('Passwords for Redis');
  await shell.run(commands, {
    REDIS_ADMIN_URL: ownRedis.url,
    OLD_PASSWORD: passwordOf('dashboard'),
    NEW_PASSWORD: newPassword,
    NEW_URL: withUser(ownRedis.url, 'dashboard', newPassword),
  });
  await waitForCalls();
});

rotation('users of NATS', async () => {
  const [reload = '', useNew = ''] = commandsOf('Users of NATS');
  const newPassword = password();
  const [hub = ''] = /\{\s+user: hub,[\s\S]*?\n {4}\}/.exec(natsText) ?? [];
  const second = hub.replace('user: hub', 'user: hub-2').replace(passwordOf('HUB'), newPassword);
  const change = async (from: string, to: string) => {
    natsText = natsText.replace(from, () => to);
    writeFileSync(natsConfig, natsText);
    await shell.run(reload, { NATS_PID: readFileSync(natsPid, 'utf8') });
  };
  await change(hub, `${hub}\n${second}`);
  await shell.run(useNew, { NEW_URL: withUser(ownNats.url, 'hub-2', newPassword) });
  await change(hub, '');
  await waitForCalls();
  // Events arrive through the new user.
  const delivered = async () =>
    Number(/^relay_hub_events_received_total\S* (\d+)/m.exec((await product.metrics()).hub)?.[1] ?? 0);
  const seen = await delivered();
  await eventually('the hub to get events', async () => (await delivered()) > seen);
});

/** Waits for two more calls of every kind, so that all services have been called with the current secrets. */
async function waitForCalls(): Promise<void> {
  const before = { ...load.answered };
  await eventually('two calls of every kind', () => {
    expect(load.failures).toEqual([]);
    const kinds = Object.entries(load.answered);
    return kinds.length === 5 && kinds.every(([kind, count]) => count >= (before[kind] ?? 0) + 2);
  });
}

function withUser(url: string, user: string, newPassword: string): string {
  const changed = new URL(url);
  Object.assign(changed, { username: user, password: newPassword });
  return changed.href;
}
