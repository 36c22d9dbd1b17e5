import { EndReason, EventHead } from '@expert-relay/contracts';
import { statusNow } from '@expert-relay/db';
import { captureLogs, eventually, testServers, watchOpenHandles } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { createStage, type Stage } from './testing/create-stage.ts';
import { readMetric } from './testing/read-metric.ts';
import { seedRequests } from './testing/seed-requests.ts';
import { readEnds, tally } from './testing/tally.ts';

let assertNothingLeftOpen: () => Promise<void>;
const { databaseUrl: server, redisUrl } = testServers();
const { logOf } = captureLogs();
let stage: Stage;

beforeAll(async () => {
  assertNothingLeftOpen = watchOpenHandles();
  stage = await createStage({ server, redisUrl, log: logOf('expiry-worker') });
});

afterEach(async () => {
  await stage.next();
});

afterAll(async () => {
  await stage.stop();
  await assertNothingLeftOpen();
});

const ended = (count: number, within = 5_000) =>
  eventually(`${count} requests ended`, async () => (await tally(stage.prisma)).expired === count, {
    within,
  });

/** All told exactly once, none before its time. */
const once = (count: number) => ({
  requests: count,
  expired: count,
  events: count,
  early: 0,
  doubled: 0,
  missing: 0,
  misplaced: 0,
});

/** The longest time from a request's expiry to its event, in seconds. */
async function greatestLateness(): Promise<number> {
  const requests = await stage.prisma.helpRequest.findMany({ select: { id: true, expiresAt: true } });
  const due = new Map(requests.map(({ id, expiresAt }) => [id, expiresAt.getTime()]));
  const ends = await readEnds(stage.prisma);
  return Math.max(...ends.map(({ id, at }) => at.getTime() - (due.get(id) ?? Number.NaN))) / 1_000;
}

test('a request whose time was over before any worker ran is ended as of that time, and told of', async () => {
  const [id = ''] = await seedRequests(stage.prisma, { count: 1, dueIn: -3_600_000 });
  const worker = await stage.startWorker();
  await ended(1);

  const request = await stage.prisma.helpRequest.findUniqueOrThrow({ where: { id } });
  expect(request).toMatchObject({ status: 'expired', endedAt: request.expiresAt, seq: 2 });
  const event = await stage.prisma.outboxEvent.findFirstOrThrow();
  expect(event.type).toBe('request_closed');
  const head = new EventHead(event.payload);
  expect(head.readBody()).toMatchObject({ case: 'requestClosed', value: { reason: EndReason.EXPIRED } });
  expect(head.requests).toEqual([
    { requestId: id, refCode: `HS-${request.refCode}`, userId: request.userId, seq: 2 },
  ]);
  expect(await readMetric(worker, 'relay_expiry_ended_total')).toBe(1);
});

test('three workers that race for the same rows end each once', async () => {
  await seedRequests(stage.prisma, { count: 9_000, dueIn: -1_000 });
  const workers = await Promise.all([stage.startWorker(), stage.startWorker(), stage.startWorker()]);
  await ended(9_000, 15_000);
  expect(await tally(stage.prisma)).toEqual(once(9_000));
  const counts = await Promise.all(workers.map((worker) => readMetric(worker, 'relay_expiry_ended_total')));
  expect(counts.reduce((sum, count) => sum + count)).toBe(9_000);
});

test('requests are ended at their second by jobs of their own, between two sweeps', async () => {
  await seedRequests(stage.prisma, { count: 500, dueIn: 1_500, apart: 2 });
  // Ten minutes' life: one sweep now, the next one a minute later.
  const worker = await stage.startWorker({ ttl: '10m' });
  await ended(500, 25_000);
  expect(await tally(stage.prisma)).toEqual(once(500));
  expect(await readMetric(worker, 'relay_expiry_sweep_seconds_count')).toBe(1);
  const redis = new Redis(redisUrl);
  expect(await redis.keys(`${stage.prefix}:expiry:end:??????????????????????`)).toEqual([]);
  await redis.quit();
});

test('a job that runs too early, since some worker’s clock is ahead, waits for its time', async () => {
  const ids = await seedRequests(stage.prisma, { count: 20, dueIn: 2_500 });
  await stage.startWorker({ ttl: '60s' });
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue('end', { connection, prefix: `${stage.prefix}:expiry` });
  await eventually('their jobs wait', async () => (await queue.getDelayedCount()) === ids.length);
  await queue.promoteJobs();

  await ended(20, 5_000);
  expect(await tally(stage.prisma)).toEqual(once(20));
  expect(await greatestLateness()).toBeLessThan(1.5);
  await queue.close();
  await connection.quit();
});

test('a request that was closed early keeps its end, and nothing is told', async () => {
  const [closed, other] = await seedRequests(stage.prisma, { count: 2, dueIn: 1_000 });
  await stage.startWorker({ ttl: '60s' });
  await stage.prisma.helpRequest.update({
    where: { id: closed ?? '' },
    data: { status: 'closed', endedAt: new Date() },
  });
  await ended(1);
  expect((await readEnds(stage.prisma)).map(({ id }) => id)).toEqual([other]);
});

test('requests that are closed while workers end them end once, and stand in one place', async () => {
  const ids = await seedRequests(stage.prisma, { count: 600, dueIn: 700, apart: 1 });
  await Promise.all([stage.startWorker(), stage.startWorker()]);
  let closed = 0;
  // Each close comes as its request falls due, or a little before: some win, some lose.
  for (const id of ids.filter((_, index) => index % 2 === 0)) {
    closed += await stage.prisma.$executeRaw`
      WITH request AS (
        SELECT id, ${statusNow} AS status FROM help_requests WHERE id = ${id} FOR UPDATE
      )
      UPDATE help_requests SET status = 'closed', ended_at = clock_timestamp() FROM request
      WHERE help_requests.id = request.id AND request.status IN ('pending', 'responded')`;
  }
  await ended(600 - closed);
  expect(await tally(stage.prisma)).toMatchObject({ events: 600 - closed, doubled: 0, misplaced: 0 });
});

test('rows of requests that are gone or have ended keep no sweep from its work, and are put right', async () => {
  const [other] = await seedRequests(stage.prisma, { count: 1, dueIn: -2_000 });
  // As a worker of an older release ends a request, without knowing of `request_stages`.
  await stage.prisma.$executeRaw`UPDATE help_requests SET status = 'expired', ended_at = expires_at`;
  // More than a batch, all of one moment.
  await stage.prisma.$executeRaw`
    INSERT INTO request_stages (stage, at, request_id)
    SELECT 'open', '2020-01-01', 'gone ' || number FROM generate_series(1, 2500) AS number`;
  const ids = await seedRequests(stage.prisma, { count: 10, dueIn: -1_000 });
  await stage.startWorker();
  await ended(11);
  expect((await readEnds(stage.prisma)).map(({ id }) => id).sort()).toEqual([...ids].sort());
  await eventually('all is in its place', async () => (await tally(stage.prisma)).misplaced === 0, {
    within: 10_000,
  });
  const place = await stage.prisma.requestStage.findFirstOrThrow({ where: { requestId: other ?? '' } });
  expect(place.stage).toBe('ended');
});

test('a stop in the middle of a long sweep loses nothing: the next worker goes on', async () => {
  // What Postgres knows of the table is from a time without open requests: no plan may depend on it.
  await stage.prisma.$executeRaw`
    INSERT INTO request_stages (stage, at, request_id)
    SELECT 'ended', now(), 'gone ' || number FROM generate_series(1, 600) AS number`;
  await stage.prisma.$executeRaw`ANALYZE request_stages`;
  await stage.prisma.$executeRaw`DELETE FROM request_stages`;
  const count = 14_000;
  await seedRequests(stage.prisma, { count, dueIn: -1_000 });
  const worker = await stage.startWorker();
  await eventually('the first batch has ended', () => readMetric(worker, 'relay_expiry_ended_total'));
  await worker.stop();
  const { expired, events } = await tally(stage.prisma);
  expect(expired).toBe(events);
  expect(expired).toBeLessThan(count);

  await stage.startWorker();
  await ended(count, 20_000);
  expect(await tally(stage.prisma)).toEqual(once(count));
});
