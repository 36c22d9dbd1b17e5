import { existsSync, readFileSync } from 'node:fs';
import { eventually } from '@expert-relay/testkit';
import { Redis } from 'ioredis';
import { createUser } from '../../../scripts/local/dev-user.ts';
import type { Home } from '../../../scripts/local/home.ts';
import { type DevUser, readSecrets } from '../../../scripts/local/secrets.ts';
import type { Run } from '../../../scripts/local/with-run.ts';
import { openServers } from '../../../scripts/servers/open-servers.ts';
import { migrate } from '../../../scripts/steps/build.ts';
import { addChannels, type Channels, notifiedUser } from '../deliveries/channels.ts';
import { openReceivers } from '../deliveries/receivers.ts';
import { addWebhooks, type Webhook } from '../deliveries/webhooks.ts';
import { type Database, openDatabase } from './database.ts';
import { configureInstances, type EnvironmentSettings } from './instances.ts';
import { createNetwork, type Network } from './network.ts';
import { createProcesses, type Processes } from './processes.ts';
import { listInstances, pair } from './topology.ts';

/** The built product as real processes, with a proxy for each connection between two of them. */
export interface Environment {
  readonly user: DevUser;
  readonly gatewayUrl: string;
  readonly hubUrls: readonly string[];
  readonly webhooks: readonly Webhook[];
  readonly channels: Channels;
  readonly processes: Processes;
  readonly network: Network;
  readonly database: Database;
  sendRedisCommand(command: string, ...args: string[]): Promise<string>;
  /** All outbox leaders since the start, the newest last. */
  outboxLeaders(): readonly OutboxLeader[];
  close(): Promise<void>;
}

/** Starts new servers, since faults kill and freeze them, and then the services. */
export async function openEnvironment(run: Run, settings: EnvironmentSettings): Promise<Environment> {
  const { home, ports } = run;
  const processes = createProcesses(run);
  const network = createNetwork();
  const secrets = readSecrets(home);
  const { supervisor } = processes;
  const servers = await openServers({ home, ports, supervisor }, { durable: true, env: {} });
  const receivers = await openReceivers({ run, network, processes });

  const instances = listInstances(settings.workers);
  const { urlOf, program } = await configureInstances({
    run,
    network,
    servers,
    secrets,
    settings,
    instances,
    mailUrl: receivers['mail-server'].url,
  });
  const starting = Promise.all(instances.map(async (instance) => supervisor.start(await program(instance))));
  // The first failure is reported; services that wait for their database fail later.
  starting.catch(() => {});
  const env = { ...process.env, ...servers, DATABASE_DIRECT_URL: servers.DATABASE_URL };
  await migrate(env);
  const user = await createUser(env, 'dev');
  const notified = await createUser(env, notifiedUser);
  await starting;

  const outboxes = instances.filter(({ service }) => service === 'requests' || service === 'messages');
  const outboxLeaders = () =>
    readOutboxLeaders(
      home,
      outboxes.map(({ name }) => name),
    );
  await eventually('a process is the outbox leader', () => outboxLeaders().length > 0, { timeoutMs: 30_000 });
  const database = openDatabase(servers.DATABASE_URL);
  const gatewayUrl = await network.addProxy(pair('clients', 'gateway'), urlOf('gateway'));
  return {
    user,
    gatewayUrl,
    webhooks: await addWebhooks(receivers, { user, gatewayUrl }),
    channels: await addChannels(receivers, { user: notified, gatewayUrl: urlOf('gateway'), database }),
    hubUrls: await Promise.all(
      ['hub-1', 'hub-2'].map((name) => network.addProxy(pair('clients', name), urlOf(name))),
    ),
    processes,
    network,
    database,
    sendRedisCommand: (command, ...args) => sendRedisCommand(servers.REDIS_URL, command, ...args),
    outboxLeaders,
    async close() {
      processes.releaseAll();
      await network.stop();
      await database.close();
    },
  };
}

/** A process that became the outbox leader, and when. */
export interface OutboxLeader {
  readonly name: string;
  readonly at: number;
}

/** Reads the outbox leaders from the logs, the newest last. */
function readOutboxLeaders(home: Home, names: readonly string[]): readonly OutboxLeader[] {
  return names
    .flatMap((name) => {
      const file = home.log(name);
      if (!existsSync(file)) return [];
      const lines = readFileSync(file, 'utf8').split('\n');
      return lines
        .filter((line) => line.includes('"msg":"leads the outbox"'))
        .map((line) => ({ name, at: readTime(JSON.parse(line).time) }));
    })
    .sort((one, other) => one.at - other.at);
}

const readTime = (time: string | number): number => (typeof time === 'number' ? time : Date.parse(time));

/** Sends one command to Redis, and returns the response as text. */
async function sendRedisCommand(url: string, command: string, ...args: string[]): Promise<string> {
  const redis = new Redis(url, { commandTimeout: 8_000, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    return String(await redis.call(command, ...args));
  } finally {
    redis.disconnect();
  }
}
