import { createEmptyDatabase } from '@expert-relay/db/testing';
import {
  captureLogs,
  createTcpProxy,
  deleteRedisKeys,
  eventually,
  type TcpProxy,
  testServers,
  watchOpenHandles,
} from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { countRequests } from './testing/count-requests.ts';
import { createTestSetup, type TestSetup } from './testing/create-test-setup.ts';
import { readMetric } from './testing/read-metric.ts';
import { seedRequests } from './testing/seed-requests.ts';

let assertNothingLeftOpen: () => Promise<void>;
const { databaseUrl: server, redisUrl } = testServers();
const { logOf, lines } = captureLogs();
let setup: TestSetup;
let redisProxy: TcpProxy;
let databaseProxy: TcpProxy;

beforeAll(async () => {
  assertNothingLeftOpen = watchOpenHandles();
  setup = await createTestSetup({ server, redisUrl, log: logOf('expiry-worker') });
  redisProxy = await createTcpProxy(redisUrl);
  databaseProxy = await createTcpProxy(setup.databaseUrl);
});

afterEach(async () => {
  await redisProxy.restore();
  await databaseProxy.restore();
  await setup.reset();
});

afterAll(async () => {
  await setup.stop();
  await redisProxy.stop();
  await databaseProxy.stop();
  await assertNothingLeftOpen();
});

/** Waits until every request has ended; expects that each ended once and none early. */
async function allEnded(count: number): Promise<void> {
  const isDone = async () => (await countRequests(setup.prisma)).expired === count;
  await eventually(`${count} requests ended`, isDone);
  expect(await countRequests(setup.prisma)).toEqual({
    requests: count,
    expired: count,
    events: count,
    early: 0,
    repeated: 0,
    missing: 0,
    wrongStages: 0,
  });
}

const logged = (message: RegExp) => lines.some(({ msg }) => message.test(msg));

describe('Redis loses', () => {
  test('everything, with a thousand jobs pending: the worker restores schedulers and jobs', async () => {
    await seedRequests(setup.prisma, { count: 1_000, dueIn: 20_000 });
    const worker = await setup.startWorker({ ttl: '3m' });
    const delayed = async () => (await readMetric(worker, 'relay_expiry_jobs')) >= 1_000;
    await eventually('the jobs are there', delayed);
    await deleteRedisKeys(redisUrl, setup.prefix);

    await allEnded(1_000);
    await eventually(
      'the schedulers of sweeps and purges are restored',
      async () => (await readMetric(worker, 'relay_expiry_scheduler_restored_total')) >= 2,
    );
    expect(logged(/^the scheduler of the queue sweep was missing/)).toBe(true);
  });

  test.each(['repeat', 'delayed'])('only the scheduler’s %s key', async (key) => {
    const worker = await setup.startWorker();
    const swept = () => readMetric(worker, 'relay_expiry_sweep_seconds_count');
    await eventually('the first sweep', swept);
    const redis = new Redis(redisUrl);
    // While a sweep waits to be run, `delayed` is missing although nothing is lost.
    await eventually(
      'the key is deleted',
      async () => (await redis.unlink(`${setup.prefix}:expiry:sweep:${key}`)) === 1,
    );
    await redis.quit();

    await seedRequests(setup.prisma, { count: 3, dueIn: 700 });
    await allEnded(3);
    await eventually(
      'the scheduler is restored',
      async () => (await readMetric(worker, 'relay_expiry_scheduler_restored_total')) >= 1,
    );
  });
});

describe('Redis is away', () => {
  test('while the worker runs: overdue requests end without it, and later the queue works again', async () => {
    const worker = await setup.startWorker({ redisUrl: redisProxy.url });
    await eventually('the first sweep', () => readMetric(worker, 'relay_expiry_sweep_seconds_count'));
    await redisProxy.cut();
    await seedRequests(setup.prisma, { count: 50, dueIn: 300 });
    await allEnded(50);
    await eventually('the outage is logged', () => logged(/^Redis is away/));
    const ready = await fetch(`${worker.opsUrl}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ ready: false, away: { redis: expect.any(String) } });

    await redisProxy.restore();
    await eventually('Redis is back', () => logged(/^Redis is back/));
    const sweeps = await readMetric(worker, 'relay_expiry_sweep_seconds_count');
    await eventually(
      'sweeps continue',
      async () => (await readMetric(worker, 'relay_expiry_sweep_seconds_count')) > sweeps + 2,
    );
    await seedRequests(setup.prisma, { count: 50, dueIn: 1_500 });
    await allEnded(100);
  });

  test('when the worker starts, and when it stops', async () => {
    await redisProxy.cut();
    await seedRequests(setup.prisma, { count: 10, dueIn: -1_000 });
    const worker = await setup.startWorker({ redisUrl: redisProxy.url });
    await allEnded(10);

    // Without its limits, a stop would wait for Redis forever.
    await worker.stop();
  });
});

test('an outage of Postgres delays the ends, and loses none', async () => {
  const { href } = new URL(databaseProxy.url);
  const worker = await setup.startWorker({ databaseUrl: href });
  await seedRequests(setup.prisma, { count: 100, dueIn: 600 });
  await eventually('the first sweep', () => readMetric(worker, 'relay_expiry_sweep_seconds_count'));
  await databaseProxy.cut();
  await eventually(
    'a job has failed',
    async () => (await readMetric(worker, 'relay_expiry_job_failures_total')) > 0,
  );
  await databaseProxy.restore();
  await allEnded(100);
});

test('before the first migration a job that fails is not an error, since the database reports why', async () => {
  await using empty = await createEmptyDatabase(server);
  const since = lines.length;
  const worker = await setup.startWorker({ databaseUrl: empty.url });
  await eventually('a job has failed', () => readMetric(worker, 'relay_expiry_job_failures_total'));
  await worker.stop();
  const reported = lines.slice(since);
  expect(reported.filter(({ level }) => level === 'error')).toEqual([]);
  expect(reported).toContainEqual(
    expect.objectContaining({ level: 'warn', reason: expect.stringMatching(/^the database lacks/) }),
  );
});
