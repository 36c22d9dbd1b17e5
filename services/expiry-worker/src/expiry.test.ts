import { EndReason, EventHead } from '@expert-relay/contracts';
import { statusNow } from '@expert-relay/db';
import { captureLogs, eventually, testServers, watchOpenHandles } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { countRequests } from './testing/count-requests.ts';
import { createTestSetup, type TestSetup } from './testing/create-test-setup.ts';
import { readMetric } from './testing/read-metric.ts';
import { seedRequests } from './testing/seed-requests.ts';

let assertNothingLeftOpen: () => Promise<void>;
const { databaseUrl: server, redisUrl } = testServers();
const { logOf } = captureLogs();
let setup: TestSetup;

beforeAll(async () => {
  assertNothingLeftOpen = watchOpenHandles();
  setup = await createTestSetup({ server, redisUrl, log: logOf('expiry-worker') });
});

afterEach(async () => {
  await setup.reset();
});

afterAll(async () => {
  await setup.stop();
  await assertNothingLeftOpen();
});

const ended = (count: number) =>
  eventually(`${count} requests ended`, async () => (await countRequests(setup.prisma)).expired === count);

/** Each request has ended with one event, none early. */
const once = (count: number) => ({
  requests: count,
  expired: count,
  events: count,
  early: 0,
  repeated: 0,
  missing: 0,
  wrongStages: 0,
});

test('a request that expired before a worker ran gets that time as its end, and one event', async () => {
  const [id = ''] = await seedRequests(setup.prisma, { count: 1, dueIn: -3_600_000 });
  const worker = await setup.startWorker();
  await ended(1);

  const request = await setup.prisma.helpRequest.findUniqueOrThrow({ where: { id } });
  expect(request).toMatchObject({ status: 'expired', endedAt: request.expiresAt, seq: 2 });
  const event = await setup.prisma.outboxEvent.findFirstOrThrow();
  const { refCode, userId } = request;
  expect(event).toMatchObject({ type: 'request_closed', requestId: id, refCode, userId, seq: 2 });
  const body = new EventHead(event.payload).readBody();
  expect(body).toMatchObject({ case: 'requestClosed', value: { reason: EndReason.EXPIRED } });
  expect(await readMetric(worker, 'relay_expiry_requests_ended_total')).toBe(1);
});

test('three workers that compete for the same rows end each once', async () => {
  await seedRequests(setup.prisma, { count: 3_000, dueIn: -1_000 });
  await setup.startPublisher();
  const workers = await Promise.all([setup.startWorker(), setup.startWorker(), setup.startWorker()]);
  await ended(3_000);
  expect(await countRequests(setup.prisma)).toEqual(once(3_000));
  const counts = await Promise.all(
    workers.map((worker) => readMetric(worker, 'relay_expiry_requests_ended_total')),
  );
  expect(counts.reduce((sum, count) => sum + count)).toBe(3_000);
});

test('between two sweeps, requests are ended on time by their own jobs', async () => {
  await seedRequests(setup.prisma, { count: 500, dueIn: 1_500, apart: 2 });
  // With ten minutes there is one sweep now and the next one half a minute later.
  const worker = await setup.startWorker({ ttl: '10m' });
  await ended(500);
  expect(await countRequests(setup.prisma)).toEqual(once(500));
  expect(await readMetric(worker, 'relay_expiry_sweep_seconds_count')).toBe(1);
  const redis = new Redis(redisUrl);
  const jobs = () => redis.keys(`${setup.prefix}:expiry:end:??????????????????????`);
  await eventually('no job is left', async () => (await jobs()).length === 0);
  await redis.quit();
});

test('a job that runs too early, because the clock of a worker is ahead, waits until the request is due', async () => {
  // Long enough for the start of a worker on a busy machine, whose second sweep is half a minute after its first one.
  const ids = await seedRequests(setup.prisma, { count: 20, dueIn: 15_000 });
  const worker = await setup.startWorker({ ttl: '10m' });
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue('end', { connection, prefix: `${setup.prefix}:expiry` });
  await eventually('their jobs wait', async () => (await queue.getDelayedCount()) === ids.length);
  await queue.promoteJobs();

  await ended(20);
  expect(await countRequests(setup.prisma)).toEqual(once(20));
  expect(await readMetric(worker, 'relay_expiry_sweep_seconds_count')).toBe(1);
  await queue.close();
  await connection.quit();
});

test('a request that was closed before keeps its end, and gets no event', async () => {
  // Long enough for the start of a worker on a busy machine, and within two of its sweeps.
  const [closed, other] = await seedRequests(setup.prisma, { count: 2, dueIn: 20_000 });
  await setup.startWorker({ ttl: '3m' });
  await setup.prisma.helpRequest.update({
    where: { id: closed ?? '' },
    data: { status: 'closed', endedAt: new Date() },
  });
  await ended(1);
  expect(await setup.prisma.outboxEvent.findMany()).toMatchObject([{ requestId: other }]);
});

test('requests that are closed while workers end them end once, and have one row in request_stages', async () => {
  const ids = await seedRequests(setup.prisma, { count: 600, dueIn: 700, apart: 1 });
  await Promise.all([setup.startWorker(), setup.startWorker()]);
  let closed = 0;
  // Each close comes about when its request falls due: some are in time, some too late.
  for (const id of ids.filter((_, index) => index % 2 === 0)) {
    closed += await setup.prisma.$executeRaw`
      WITH request AS (
        SELECT id, ${statusNow} AS status FROM help_requests WHERE id = ${id} FOR UPDATE
      )
      UPDATE help_requests SET status = 'closed', ended_at = clock_timestamp() FROM request
      WHERE help_requests.id = request.id AND request.status IN ('pending', 'responded')`;
  }
  await ended(600 - closed);
  expect(await countRequests(setup.prisma)).toMatchObject({
    events: 600 - closed,
    repeated: 0,
    wrongStages: 0,
  });
});

test('sweeps pause while more than 1,000 events wait to be published', async () => {
  await seedRequests(setup.prisma, { count: 2_000, dueIn: -1_000 });
  const worker = await setup.startWorker();
  const sweeps = () => readMetric(worker, 'relay_expiry_sweep_seconds_count');
  await eventually(
    'more than 1,000 events wait',
    async () => (await countRequests(setup.prisma)).events > 1_000,
  );
  const before = await sweeps();
  await eventually('two more sweeps have ended', async () => (await sweeps()) >= before + 2);
  // Each sweep that found no more than 1,000 has ended one batch of 100 since.
  const { expired, events } = await countRequests(setup.prisma);
  expect(events).toBe(expired);
  expect(expired).toBeLessThanOrEqual(1_000 + 100 * (await sweeps()));
  await setup.startPublisher();
  await ended(2_000);
});

test('a stop in the middle of a long sweep loses nothing: the next worker continues', async () => {
  // The statistics of Postgres are from a time without open requests: no plan may depend on them.
  await setup.prisma.$executeRaw`
    INSERT INTO request_stages (stage, at, request_id, user_id, active_at, progress)
    SELECT 'ended', now(), 'deleted ' || number, gen_random_uuid(), now(), 'answered' FROM generate_series(1, 600) AS number`;
  await setup.prisma.$executeRaw`ANALYZE request_stages`;
  await setup.prisma.$executeRaw`DELETE FROM request_stages`;
  const count = 4_000;
  await seedRequests(setup.prisma, { count, dueIn: -1_000 });
  await setup.startPublisher();
  const worker = await setup.startWorker();
  await eventually('the first batch has ended', () =>
    readMetric(worker, 'relay_expiry_requests_ended_total'),
  );
  await worker.stop();
  const { expired, events } = await countRequests(setup.prisma);
  expect(expired).toBe(events);
  expect(expired).toBeLessThan(count);

  await setup.startWorker();
  await ended(count);
  expect(await countRequests(setup.prisma)).toEqual(once(count));
});
