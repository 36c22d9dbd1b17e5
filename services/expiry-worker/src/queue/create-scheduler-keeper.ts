import type { Clock } from '@expert-relay/kit/clock';
import type { QueuePart } from './queue.ts';

export type SchedulerState = 'fine' | 'created' | 'restored';

/**
 * Creates the scheduler of a queue, and creates it again when it is missing or will not run: Redis was flushed, its
 * next job was lost, or a worker with a wrong clock has scheduled that job far in the future.
 */
export function createSchedulerKeeper(options: {
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
    // A late job that is still in the queue only means that the workers are busy.
    const job = await queue.getJob(`repeat:${queue.name}:${scheduler.next}`);
    return job !== undefined && (await job.getState()) !== 'unknown';
  }

  return async function keep(): Promise<SchedulerState> {
    // Checked twice, since a sweep may end between the two reads of the first check and schedule the next one.
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
    const state = known ? 'restored' : 'created';
    known = true;
    return state;
  };
}
