import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  eventually,
  type OtlpReceiver,
  openStream,
  reservePort,
  startOtlpReceiver,
  submit,
  testServers,
  topicUrl,
} from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Addresses } from '../local/addresses.ts';
import { environmentFor, localValues } from '../local/environment.ts';
import { openHome, root } from '../local/home.ts';
import { readSecrets } from '../local/secrets.ts';
import { type ServiceName, serviceNames } from '../local/services.ts';
import { makeApp, sizeOf } from './make-app.ts';

/* Each service runs as in its image: from only its own folder, read-only, as a user who owns nothing. */

const largest = 100e6;
const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
const run = promisify(execFile);

let folder: string;
let database: URL;
let addresses: Addresses;
let collector: OtlpReceiver;
const environments: Partial<Record<ServiceName, NodeJS.ProcessEnv>> = {};
const processes = new Map<ServiceName, ChildProcess>();

const app = (name: ServiceName): string => join(folder, 'apps', name);
const place = (name: ServiceName) => ({ cwd: app(name), env: environments[name], ...account });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relay-apps-'));
  chmodSync(folder, 0o755);
  for (const name of serviceNames) await makeApp(name, app(name));
  makeReadOnly(join(folder, 'apps'));
  const { databaseUrl, redisUrl, natsUrl } = testServers();
  database = new URL(databaseUrl);
  const prefix = `relay_images_${randomBytes(4).toString('hex')}`;
  database.pathname = `/${prefix}`;
  await query(`CREATE DATABASE ${prefix}`);
  addresses = await reserveAddresses();
  collector = await startOtlpReceiver();
  const urls = { DATABASE_URL: database.href, REDIS_URL: redisUrl, NATS_URL: natsUrl };
  const secrets = readSecrets(openHome(join(folder, 'home')));
  for (const service of serviceNames) {
    environments[service] = {
      ...environmentFor(service, localValues(urls, secrets, addresses, {}), addresses, {}),
      NODE_ENV: 'production',
      RELAY_DEV_LOGIN: 'false',
      RELAY_NATS_PREFIX: prefix,
      RELAY_REDIS_PREFIX: prefix,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    };
  }
});

afterAll(async () => {
  await Promise.all([...processes.values()].map(stop));
  await collector?.close();
  if (database) await query(`DROP DATABASE ${database.pathname.slice(1)} WITH (FORCE)`);
  rmSync(folder, { recursive: true, force: true });
});

test.each(serviceNames)('%s is smaller than 100 MB', (name) => {
  expect(sizeOf(app(name))).toBeLessThan(largest);
});

test('they work together: a migration, a user, a request, its event, and their traces', async () => {
  const migrated = await run(process.execPath, ['packages/db/dist/migrate.js'], place('requests'));
  expect(migrated.stdout).toMatch(/Applied the migration/);
  for (const name of serviceNames) start(name);
  for (const name of serviceNames) await eventually(`${name} ready`, () => isReady(name));

  const args = ['create-user', '--name', 'ada', '--key', 'consumer', '--json'];
  const made = await run(process.execPath, ['services/requests/dist/admin.js', ...args], place('requests'));
  const [{ key }] = JSON.parse(made.stdout).keys as [{ key: string }];
  const gatewayUrl = addresses.gateway.url ?? '';
  // The button of the Tiltfile.
  const userFile = join(folder, 'user.json');
  writeFileSync(userFile, made.stdout);
  const sample = await run(process.execPath, [
    join(root, 'scripts/tilt/submit-sample.mjs'),
    gatewayUrl,
    userFile,
  ]);
  expect(sample.stdout).toMatch(/^201 .*"refCode":"HS-/);

  const { body } = await submit(gatewayUrl, key, { question: 'Which way?' });
  const headers = { 'x-api-key': key };
  const closed = await fetch(`${gatewayUrl}/api/v1/close/${body.requestId}`, { method: 'POST', headers });
  expect(closed.status).toBe(200);
  const topic = topicUrl(addresses.hub.url ?? '', `/svc/requests/${body.requestId}`);
  const stream = await openStream(`${topic}&lastEventId=earliest`);
  await stream.next({ type: 'request_closed' });
  await stream.close();
  await eventually('both services send spans', () =>
    ['gateway', 'requests'].every((name) => collector.spans.some(({ service }) => service === name)),
  );
});

async function query(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: testServers().databaseUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

function start(name: ServiceName): void {
  const child = spawn(process.execPath, [`services/${name}/dist/main.js`], {
    ...place(name),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  processes.set(name, child);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function isReady(name: ServiceName): Promise<boolean> {
  const exitCode = processes.get(name)?.exitCode ?? null;
  if (exitCode !== null)
    throw new Error(`${name} ended with exit code ${exitCode}; its reason is on stderr.`);
  return await fetch(`${addresses[name].opsUrl}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function reserveAddresses(): Promise<Addresses> {
  const entries: [string, Addresses[ServiceName]][] = [];
  for (const name of serviceNames) {
    const [port, opsPort] = [await reservePort(), await reservePort()];
    const url = (of: number) => `http://127.0.0.1:${of}`;
    entries.push([name, { port, url: url(port), opsPort, opsUrl: url(opsPort) }]);
  }
  return Object.fromEntries(entries) as Addresses;
}

function makeReadOnly(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) makeReadOnly(inner);
    else chmodSync(inner, 0o444);
  }
  chmodSync(path, 0o555);
}
