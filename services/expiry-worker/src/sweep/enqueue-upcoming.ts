import type { Query } from '@expert-relay/db';
import type { Queue } from 'bullmq';
import { openPage, type PageEnd } from '../ending/end-requests.ts';

interface Upcoming extends PageEnd {
  /** Milliseconds until it falls due. */
  remaining: number;
}

const pageSize = 1_000;

const jobOptions = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 500 },
  // A finished job that is kept would block a new one with the same id.
  removeOnComplete: true,
  removeOnFail: true,
} as const;

/**
 * Enqueues a delayed job for each request that falls due within `horizonMs`. The job's id is the request's, so a request that
 * has a job does not get another one. The delay is computed by the database's clock: that of this process may be wrong.
 */
export async function enqueueUpcoming(options: {
  query: Query;
  queue: Queue;
  horizonMs: number;
  signal: AbortSignal;
}): Promise<void> {
  const { query, queue, horizonMs, signal } = options;
  let after: PageEnd | undefined = { at: 'now', request_id: '' };
  while (after && !signal.aborted) {
    const page: Upcoming[] = await query<Upcoming>`
      SELECT at, request_id, date_part('epoch', at - now()) * 1000 AS remaining
      FROM (${openPage({ after, untilMs: horizonMs, size: pageSize })}) AS page ORDER BY at, request_id`;
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
