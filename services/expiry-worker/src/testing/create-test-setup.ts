import type { PrismaClient, Query } from '@expert-relay/db';
import { createDatabase } from '@expert-relay/db/prisma';
import { createTestDatabase, openOutbox, patient } from '@expert-relay/db/testing';
import type { Service } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import { deleteRedisKeys, testServers } from '@expert-relay/testkit';
import { readConfig } from '../config.ts';
import { create } from '../service.ts';

export interface WorkerOptions {
  /** The lifetime of conversations. A sweep runs ten times in it. */
  ttl?: string;
  redisUrl?: string;
  databaseUrl?: string;
  env?: Readonly<Record<string, string>>;
}

export interface TestSetup {
  readonly prisma: PrismaClient;
  readonly query: Query;
  readonly databaseUrl: string;
  /** The Redis prefix of the current test's queues. */
  readonly prefix: string;
  /** The environment of a worker of the current test. */
  environment(options?: WorkerOptions): Record<string, string>;
  /** The real worker, which reads its settings from that environment. */
  startWorker(options?: WorkerOptions): Promise<Service>;
  /** Publishes the events of the current test, as an outbox leader does. Without it, sweeps pause after 1,100 requests. */
  startPublisher(): Promise<void>;
  /** Stops workers and publisher, and empties tables and queues for the next test. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Postgres, Redis and any number of workers, for one test file. */
export async function createTestSetup(options: {
  server: string;
  redisUrl: string;
  log: Log;
}): Promise<TestSetup> {
  const { server, redisUrl, log } = options;
  const { url: databaseUrl, drop } = await createTestDatabase(server);
  const database = createDatabase({ url: databaseUrl, poolSize: 2, log, ...patient });
  await database.start?.();
  const workers: Service[] = [];
  let outbox: AsyncDisposable | undefined;
  let prefix = newPrefix();

  async function stopWorkers(): Promise<void> {
    for (const worker of workers.splice(0)) await worker.stop();
    await outbox?.[Symbol.asyncDispose]();
    outbox = undefined;
  }

  const environment: TestSetup['environment'] = ({ ttl = '5s', env = {}, ...urls } = {}) => ({
    DATABASE_URL: urls.databaseUrl ?? databaseUrl,
    REDIS_URL: urls.redisUrl ?? redisUrl,
    RELAY_REDIS_PREFIX: prefix,
    RELAY_CONVERSATION_TTL: ttl,
    RELAY_DATABASE_POOL: '4',
    RELAY_HOST: '127.0.0.1',
    RELAY_OPS_PORT: '0',
    RELAY_SHUTDOWN_PAUSE: '0s',
    RELAY_START_PATIENCE: '60s',
    ...env,
  });

  return {
    prisma: database.prisma,
    query: database.query,
    databaseUrl,
    get prefix() {
      return prefix;
    },
    environment,
    async startWorker(options) {
      const worker = create(readConfig(environment(options)), { log });
      workers.push(worker);
      await worker.start();
      return worker;
    },
    async startPublisher() {
      const opened = await openOutbox({ databaseUrl, natsUrl: testServers().natsUrl }, { url: databaseUrl });
      outbox = opened;
      await opened.startPublisher();
    },
    async reset() {
      await stopWorkers();
      await database.prisma.$executeRaw`TRUNCATE users, outbox_events CASCADE`;
      await deleteRedisKeys(redisUrl, prefix);
      prefix = newPrefix();
    },
    async stop() {
      await stopWorkers();
      await database.stop?.();
      await drop();
    },
  };
}

const newPrefix = () => `test-${crypto.randomUUID().slice(0, 13)}`;
