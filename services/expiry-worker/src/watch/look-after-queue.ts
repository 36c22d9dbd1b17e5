import type { Clock } from '@expert-relay/kit/clock';
import type { QueuePart } from '../queue/create-queue.ts';
import type { Reports } from '../reports/create-reports.ts';
import { keepScheduler } from './keep-scheduler.ts';

/** Mends what Redis has lost, and measures what it has. */
export function lookAfterQueue(options: {
  sweeps: QueuePart;
  ends: QueuePart;
  interval: number;
  clock: Clock;
  reports: Reports;
}): () => Promise<void> {
  const { sweeps, ends, reports } = options;
  const keep = keepScheduler(options);
  return async () => {
    const state = await keep();
    if (state === 'made') reports.schedulerMade();
    if (state === 'restored') reports.schedulerRestored();
    await reports.measureQueues([sweeps.queue, ends.queue]);
  };
}
