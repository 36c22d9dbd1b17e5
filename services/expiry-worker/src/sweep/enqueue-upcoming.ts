import type { Query } from '@expert-relay/db';
import type { Queue } from 'bullmq';
import { openPage, type Place } from '../open-page.ts';

interface Upcoming extends Place {
  /** Milliseconds until it falls due. */
  remaining: number;
}

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
  let after: Place | undefined = { at: 'now', request_id: '' };
  while (after && !signal.aborted) {
    const page: Upcoming[] = await query<Upcoming>`
      SELECT at, request_id, date_part('epoch', at - now()) * 1000 AS remaining
      FROM (${openPage({ after, until: horizon, size: pageSize })}) AS page ORDER BY at, request_id`;
    await queue.addBulk(
      page.map(({ request_id, remaining }) => ({
        name: 'end',
        data: {},
        opts: { ...jobOptions, jobId: request_id, delay: Math.max(0, Math.ceil(remaining)) + 1 },
      })),
    );
    after = page.length === pageSize ? page.at(-1) : undefined;
  }
}
