import { createFakeClock, deleteRedisKeys, type FakeClock, testServers } from '@expert-relay/testkit';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { createSchedulerKeeper, type SchedulerState } from './create-scheduler-keeper.ts';

const { redisUrl } = testServers();
const prefix = `test-${crypto.randomUUID()}`;
const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
const queue = new Queue('sweep', { connection: redis, prefix });
const interval = 60_000;
let clock: FakeClock;
let keep: () => Promise<SchedulerState>;

beforeEach(async () => {
  await deleteRedisKeys(redisUrl, prefix);
  clock = createFakeClock();
  keep = createSchedulerKeeper({ scheduled: { queue }, interval, clock });
});

afterAll(async () => {
  await deleteRedisKeys(redisUrl, prefix);
  await queue.close();
  await redis.quit();
});

test('creates the scheduler with a first sweep at once, and does not change it later', async () => {
  expect(await keep()).toBe('created');
  const scheduler = await queue.getJobScheduler('sweep');
  expect(scheduler?.every).toBe(interval);
  expect(scheduler?.next).toBeLessThanOrEqual(Date.now());
  expect(await keep()).toBe('fine');
  expect(await queue.getJobScheduler('sweep')).toEqual(scheduler);
});

test('accepts the one that another worker has created', async () => {
  await createSchedulerKeeper({ scheduled: { queue }, interval, clock })();
  expect(await keep()).toBe('fine');
});

test('restores it when it is missing', async () => {
  await keep();
  await queue.removeJobScheduler('sweep');
  expect(await keep()).toBe('restored');
  expect(await keep()).toBe('fine');
});

test('restores it when its next job was lost, without which it would never run again', async () => {
  await keep();
  await redis.unlink(`${prefix}:sweep:delayed`, `${prefix}:sweep:wait`);
  expect(await keep()).toBe('restored');
});

test('restores it when a wrong clock has scheduled the next sweep far in the future', async () => {
  await keep();
  clock.advance(-3_600_000);
  expect(await keep()).toBe('restored');
});

test('accepts a late sweep: the queue is busy', async () => {
  await keep();
  clock.advance(3_600_000);
  expect(await keep()).toBe('fine');
});

test('changes its interval', async () => {
  await keep();
  await createSchedulerKeeper({ scheduled: { queue }, interval: 1_500, clock })();
  expect((await queue.getJobScheduler('sweep'))?.every).toBe(1_500);
});
