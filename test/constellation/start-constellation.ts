import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '@expert-relay/db';
import { createDatabase } from '@expert-relay/db/prisma';
import { createTestDatabase, patient } from '@expert-relay/db/testing';
import type { Clock } from '@expert-relay/kit/clock';
import type { Service } from '@expert-relay/kit/lifecycle';
import { createSignInLink, type SignInLink } from '@expert-relay/requests/create-sign-in-link';
import {
  captureLogs,
  deleteRedisKeys,
  deleteStream,
  eventually,
  type LogLine,
  reservePort,
  type TestServers,
  testServers,
  watchOpenHandles,
} from '@expert-relay/testkit';
import type { ServiceName } from '../../scripts/local/services.ts';
import { constellationEnv } from './constellation-env.ts';
import { makeTenant, type Tenant } from './make-tenant.ts';
import { restrictRedis } from './restrict-redis.ts';
import { type OwnSettings, type RunningServices, startServices } from './start-services.ts';

export interface Constellation {
  readonly gatewayUrl: string;
  readonly hubUrl: string;
  readonly databaseUrl: string;
  readonly services: Readonly<Record<ServiceName, Service>>;
  /** All log lines of all services so far. */
  readonly logs: readonly LogLine[];
  makeTenant(name?: string): Promise<Tenant>;
  /** Creates a sign-in link, as the admin command does. */
  makeSignInLink(userId: string, minutes?: number): Promise<SignInLink>;
  /** Stops a service, runs `whileStopped`, and starts the service again at the same address, with these settings added. */
  readonly restart: RunningServices['restart'];
  /** Stops everything, deletes all data on the servers, and fails if a service left something open. */
  stop(): Promise<void>;
}

export interface ConstellationOptions {
  /** Settings of all services. */
  env?: Readonly<Record<string, string>>;
  /** Settings of single services. */
  own?: OwnSettings;
  /** The prefix of Redis keys, NATS subjects and the stream. Random by default. */
  prefix?: string;
  clock?: Clock;
  /** Servers that only this test uses, so that it may stop them. */
  servers?: Partial<TestServers>;
  /** Services that cannot become ready, because a server is away. */
  unready?: readonly ServiceName[];
}

/**
 * Starts the seven services in this process on free ports, with real servers. Each call has its own database, prefixes and
 * secrets.
 */
export async function startConstellation(options: ConstellationOptions = {}): Promise<Constellation> {
  const { env = {}, own = {}, clock, unready = [] } = options;
  const servers = { ...testServers(), ...options.servers };
  const prefix = options.prefix ?? `test-${randomBytes(6).toString('hex')}`;
  const logs = captureLogs();
  const cleanups: (() => Promise<void>)[] = [watchOpenHandles()];
  // Runs all cleanups even if some fail, and throws the first error.
  const stop = async () => {
    const failures: unknown[] = [];
    for (const cleanUp of cleanups.splice(0).reverse())
      await cleanUp().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };

  try {
    cleanups.push(() => deleteStream(servers.natsUrl, prefix));
    cleanups.push(() => deleteRedisKeys(servers.redisUrl, prefix));
    // A test's own server may restart, and then it has lost its users.
    const redis = options.servers?.redisUrl ? undefined : await restrictRedis(servers.redisUrl, prefix);
    if (redis) cleanups.push(redis.remove);
    const { url: databaseUrl, drop } = await createTestDatabase(servers.databaseUrl);
    cleanups.push(drop);
    const database = createDatabase({
      url: databaseUrl,
      poolSize: 1,
      log: logs.logOf('testkit'),
      ...patient,
    });
    cleanups.push(async () => database.stop?.());
    await database.start?.();
    cleanups.push(await watchConnections(database.prisma));

    const publicUrl = `http://127.0.0.1:${await reservePort()}`;
    const base = constellationEnv({ servers: { ...servers, databaseUrl }, prefix, publicUrl });
    const overrides = (service: ServiceName) => ({ log: logs.logOf(service), ...(clock && { clock }) });
    const running = await startServices({ ...base, ...env }, overrides, { ...redis?.own, ...own });
    cleanups.push(running.stop);
    const awaited = Object.entries(running.services).filter(
      ([name]) => !unready.includes(name as ServiceName),
    );
    await Promise.all(awaited.map(([, service]) => untilReady(service)));

    const { gatewayUrl, hubUrl, services, restart } = running;
    return {
      gatewayUrl,
      hubUrl,
      databaseUrl,
      services,
      logs: logs.lines,
      restart,
      makeTenant: (name) => makeTenant(database.prisma, name),
      makeSignInLink: (userId, minutes = 15) =>
        createSignInLink(database.prisma, { userId, minutes, publicUrl: gatewayUrl }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits until a service is ready. The error contains the last response of `/readyz`. */
export async function untilReady(service: Service): Promise<void> {
  let text = 'nothing';
  const isReady = async () => {
    const response = await fetch(`${service.opsUrl}/readyz`);
    text = (await response.text()).trim();
    return response.ok;
  };
  await eventually(`${service.name} is ready`, isReady).catch((error: Error) => {
    throw new Error(`${error.message} /readyz responds: ${text}`);
  });
}

/**
 * Counts the connections to a database. The returned function fails if there are more connections after all services
 * have stopped.
 */
async function watchConnections(prisma: PrismaClient): Promise<() => Promise<void>> {
  const count = async () => {
    const [row] = await prisma.$queryRaw<{ connections: number }[]>`
      SELECT count(*)::int AS connections FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend'`;
    return row?.connections ?? 0;
  };
  const before = await count();
  return async () => {
    // Postgres notices closed sockets with a delay, which is long on a busy machine.
    const isClosed = async () => (await count().catch(() => Number.POSITIVE_INFINITY)) <= before;
    await eventually('every service has closed its connections to Postgres', isClosed);
  };
}
