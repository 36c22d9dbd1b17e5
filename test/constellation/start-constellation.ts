import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '@expert-relay/db';
import { createDatabase } from '@expert-relay/db/prisma';
import { createTestDatabase } from '@expert-relay/db/testing';
import type { Clock } from '@expert-relay/kit/clock';
import type { Service } from '@expert-relay/kit/lifecycle';
import { createSignInLink, type SignInLink } from '@expert-relay/requests/create-sign-in-link';
import {
  captureLogs,
  eventually,
  forgetRedisKeys,
  forgetStream,
  type LogLine,
  reservePort,
  type TestServers,
  testServers,
  watchOpenHandles,
} from '@expert-relay/testkit';
import { constellationEnv } from './constellation-env.ts';
import { makeTenant, type Tenant } from './make-tenant.ts';
import { type OwnSettings, type RunningServices, type ServiceName, startServices } from './start-services.ts';

export interface Constellation {
  readonly gatewayUrl: string;
  readonly hubUrl: string;
  readonly databaseUrl: string;
  readonly services: Readonly<Record<ServiceName, Service>>;
  /** What all services have logged so far; each line names its service. */
  readonly logs: readonly LogLine[];
  makeTenant(name?: string): Promise<Tenant>;
  /** A link that signs a user in once, as the admin command makes it. */
  makeSignInLink(userId: string, minutes?: number): Promise<SignInLink>;
  /** Stops a service and starts a new one where it was, with other settings of its own; `meanwhile` runs in between. */
  readonly restart: RunningServices['restart'];
  /** Stops everything, leaves nothing on the servers, and fails when a service left something open. */
  stop(): Promise<void>;
}

export interface ConstellationOptions {
  /** Settings that this test is about. */
  env?: Readonly<Record<string, string>>;
  /** Settings of one service alone. */
  own?: OwnSettings;
  /** The names of keys, subjects and the stream; chosen when not given. */
  prefix?: string;
  clock?: Clock;
  /** Servers of the test's own, which it may take away. */
  servers?: Partial<TestServers>;
  /** Services that are not waited for, since what they need is away. */
  unready?: readonly ServiceName[];
}

/**
 * The real product in this process: all six services on free ports, over the real servers, with a database,
 * key prefixes and secrets of its own.
 */
export async function startConstellation(options: ConstellationOptions = {}): Promise<Constellation> {
  const { env = {}, own = {}, clock, unready = [] } = options;
  const servers = { ...testServers(), ...options.servers };
  const prefix = options.prefix ?? `test-${randomBytes(6).toString('hex')}`;
  const logs = captureLogs();
  const cleanups: (() => Promise<void>)[] = [watchOpenHandles()];
  // All of them, whatever fails; the first failure is the one to look at.
  const stop = async () => {
    const failures: unknown[] = [];
    for (const cleanUp of cleanups.splice(0).reverse())
      await cleanUp().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };

  try {
    cleanups.push(() => forgetStream(servers.natsUrl, prefix));
    cleanups.push(() => forgetRedisKeys(servers.redisUrl, prefix));
    const { url: databaseUrl, drop } = await createTestDatabase(servers.databaseUrl);
    cleanups.push(drop);
    const database = createDatabase({ url: databaseUrl, poolSize: 1, log: logs.logOf('testkit') });
    cleanups.push(async () => database.stop?.());
    await database.start?.();
    cleanups.push(await watchConnections(database.prisma));

    const publicUrl = `http://127.0.0.1:${await reservePort()}`;
    const base = constellationEnv({ servers: { ...servers, databaseUrl }, prefix, publicUrl });
    const overrides = (service: ServiceName) => ({ log: logs.logOf(service), ...(clock && { clock }) });
    const running = await startServices({ ...base, ...env }, overrides, own);
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

/** Waits until a service says that it is ready; fails with what it lacks. */
export async function untilReady(service: Service): Promise<void> {
  let answer = 'nothing';
  const isReady = async () => {
    const response = await fetch(`${service.opsUrl}/readyz`);
    answer = (await response.text()).trim();
    return response.ok;
  };
  await eventually(`${service.name} ready`, isReady).catch((error: Error) => {
    throw new Error(`${error.message} It says: ${answer}`);
  });
}

/**
 * Counts the connections to a database. The function that it returns fails when there are more after
 * everything else has stopped: then a service has left connections open.
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
    // Postgres notices a closed socket a little later.
    await eventually(
      'every service has closed its connections to Postgres',
      async () => (await count()) <= before,
      {
        within: 1_000,
      },
    );
  };
}
