import type { Query } from '@expert-relay/db';
import type { Queue } from 'bullmq';
import { walkOpen } from '../walk-open.ts';

const pageSize = 1_000;

const jobOptions = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 500 },
  // A kept job with the same id would block its being added again.
  removeOnComplete: true,
  removeOnFail: true,
} as const;

/**
 * A delayed job for each request that falls due within `horizon`, named after it: those that have one keep
 * it. The database's clock says how long each has left, so that the clock of this process does not matter.
 */
export async function enqueueUpcoming(options: {
  query: Query;
  queue: Queue;
  horizon: number;
  signal: AbortSignal;
}): Promise<void> {
  const { query, queue, horizon, signal } = options;
  for await (const page of walkOpen(query, { from: 'now', until: horizon, pageSize })) {
    await queue.addBulk(
      page.map(({ id, remaining }) => ({
        name: 'end',
        data: {},
        opts: { ...jobOptions, jobId: id, delay: Math.max(0, Math.ceil(remaining)) + 1 },
      })),
    );
    if (signal.aborted) return;
  }
}
