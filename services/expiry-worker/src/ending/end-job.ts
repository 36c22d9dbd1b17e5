import type { Query } from '@expert-relay/db';
import { DelayedError, type Job } from 'bullmq';
import { type EndedRequests, endListed } from './end-requests.ts';

/** Ends one request. When it is still open, the result is the number of milliseconds after which to try again. */
type EndRequest = (id: string) => Promise<number | undefined>;

interface PendingEnd {
  id: string;
  resolve: (wait: number | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Ends requests that fall due at the same time in one statement. While a statement runs, the ids for the
 * next one are collected, so a single job does not wait, and under load the statements get larger instead of more.
 */
export function createEndBatcher(query: Query, onEnded: (ended: EndedRequests) => void): EndRequest {
  let pending: PendingEnd[] = [];
  let running = false;

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    try {
      while (pending.length > 0) {
        const batch = pending;
        pending = [];
        await endBatch(batch);
      }
    } finally {
      running = false;
    }
  }

  async function endBatch(batch: readonly PendingEnd[]): Promise<void> {
    const ids = batch.map(({ id }) => id);
    try {
      const { ended, open } = await endListed(query, ids);
      onEnded(ended);
      for (const { id, resolve } of batch) resolve(open.get(id));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (id) =>
    new Promise((resolve, reject) => {
      pending.push({ id, resolve, reject });
      void run();
    });
}

/**
 * The job of one request, which runs when the request falls due. If the request is not due by the database's clock, or
 * its row is locked, the job is delayed again. If it was closed early, there is nothing to do.
 */
export function createEndJob(end: EndRequest): (job: Job, token: string | undefined) => Promise<void> {
  return async (job, token) => {
    const wait = await end(job.id ?? '');
    if (wait === undefined) return;
    await job.moveToDelayed(Date.now() + wait, token);
    throw new DelayedError();
  };
}
