import type { Clock } from '@expert-relay/kit/clock';
import type { Queue } from 'bullmq';
import type { Reports } from '../reports/create-reports.ts';
import { keepScheduler } from './keep-scheduler.ts';

/** Mends what Redis has lost, and measures what it has. */
export function lookAfterQueue(options: {
  sweeps: Queue;
  ends: Queue;
  interval: number;
  clock: Clock;
  reports: Reports;
}): () => Promise<void> {
  const { sweeps, ends, reports } = options;
  const keep = keepScheduler({ ...options, queue: sweeps });
  return async () => {
    const state = await keep();
    if (state === 'made') reports.schedulerMade();
    if (state === 'restored') reports.schedulerRestored();
    await reports.measureQueues([sweeps, ends]);
  };
}
