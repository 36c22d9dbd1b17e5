import type { Clock } from '@expert-relay/kit/clock';
import type { QueuePart } from '../queue/create-queue.ts';

export type SchedulerState = 'fine' | 'made' | 'restored';

/**
 * Makes the scheduler that fills a queue, and makes it anew when it is gone or can never fire again: Redis
 * was flushed, its next job was lost, or a worker whose clock is wrong has put that job far off.
 */
export function keepScheduler(options: {
  scheduled: Pick<QueuePart, 'queue'>;
  interval: number;
  clock: Clock;
}): () => Promise<SchedulerState> {
  const { scheduled, interval, clock } = options;
  let known = false;

  async function works(): Promise<boolean> {
    const { queue } = scheduled;
    const scheduler = await queue.getJobScheduler(queue.name);
    if (scheduler?.next === undefined || scheduler.every !== interval) return false;
    if (scheduler.next > clock.now() + 3 * interval) return false;
    // However late it is: while its job has a place in the queue, workers are only busy.
    const job = await queue.getJob(`repeat:${queue.name}:${scheduler.next}`);
    return job !== undefined && (await job.getState()) !== 'unknown';
  }

  return async function keep(): Promise<SchedulerState> {
    // Asked twice, since between two answers a sweep may have ended and the next one been planned.
    if ((await works()) || (await works())) {
      known = true;
      return 'fine';
    }
    const { queue } = scheduled;
    await queue.removeJobScheduler(queue.name);
    await queue.upsertJobScheduler(
      queue.name,
      { every: interval },
      { name: queue.name, opts: { removeOnComplete: true, removeOnFail: { count: 100 } } },
    );
    const state = known ? 'restored' : 'made';
    known = true;
    return state;
  };
}
