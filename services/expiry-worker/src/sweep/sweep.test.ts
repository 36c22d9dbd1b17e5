import { endedPerBatch } from '@expert-relay/db';
import { openTestDatabase } from '@expert-relay/db/testing';
import { expect, test } from '@jest/globals';
import type { QueuePart } from '../queue/queue.ts';
import { countRequests } from '../testing/count-requests.ts';
import { seedRequests } from '../testing/seed-requests.ts';
import { createSweep, sweepInterval } from './sweep.ts';

const hour = 3_600_000;

test('without Redis, a sweep ends all overdue requests in batches, and leaves the others', async () => {
  const database = await openTestDatabase();
  try {
    const overdue = endedPerBatch + 1;
    await seedRequests(database.prisma, { count: overdue, dueIn: -1_000 });
    await seedRequests(database.prisma, { count: 1, dueIn: hour });
    const batches: number[] = [];
    const sweep = createSweep({
      database,
      // BullMQ throws before it is started.
      ends: { queue: undefined } as unknown as QueuePart,
      interval: hour,
      reports: { ended: (batch) => batches.push(Object.keys(batch).length), swept() {} },
    });
    await sweep.endOverdue();
    await sweep.stop?.();
    expect(batches).toEqual([endedPerBatch, 1]);
    expect(await countRequests(database.prisma)).toMatchObject({ expired: overdue, events: overdue });
  } finally {
    await database.stop();
  }
});

test.each([
  // A lifetime that an agent chooses is at least a minute: one sweep comes in its first half.
  ['conversations of 72 hours: twice a minute', 72 * hour, 30_000],
  ['conversations of 10 minutes: twice a minute', hour / 6, 30_000],
  ['shorter conversations: ten times in their lifetime', 15_000, 1_500],
  ['rounded down to milliseconds', 12_345, 1_234],
  ['at most twice a second', 1_000, 500],
])('%s', (_, ttl, interval) => {
  expect(sweepInterval(ttl)).toBe(interval);
});
