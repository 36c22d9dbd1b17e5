import type { Clock } from '@expert-relay/kit/clock';
import type { QueuePart } from '../queue/create-queue.ts';
import type { Reports } from '../reports/create-reports.ts';
import { keepScheduler } from './keep-scheduler.ts';

/** Mends what Redis has lost, and measures what it has. */
export function lookAfterQueue(options: {
  /** Those that a scheduler fills, and how often. */
  scheduled: readonly { queue: QueuePart; interval: number }[];
  ends: QueuePart;
  clock: Clock;
  reports: Reports;
}): () => Promise<void> {
  const { scheduled, ends, clock, reports } = options;
  const keepers = scheduled.map(({ queue, interval }) => ({
    queue,
    keep: keepScheduler({ scheduled: queue, interval, clock }),
  }));
  return async () => {
    for (const { queue, keep } of keepers) reports.scheduler(queue.queue.name, await keep());
    await reports.measureQueues([...scheduled.map(({ queue }) => queue.queue), ends.queue]);
  };
}
