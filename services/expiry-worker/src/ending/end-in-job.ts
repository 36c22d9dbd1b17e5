import { DelayedError, type Job } from 'bullmq';
import type { Ender } from './create-ender.ts';

/**
 * What the job of one request does at its second. The clocks of workers may differ, and its row may be
 * locked: then the job waits on. Closed early, it finds nothing to do.
 */
export function endInJob(end: Ender): (job: Job, token: string | undefined) => Promise<void> {
  return async (job, token) => {
    const wait = await end(job.id ?? '');
    if (wait === undefined) return;
    await job.moveToDelayed(Date.now() + wait, token);
    throw new DelayedError();
  };
}
