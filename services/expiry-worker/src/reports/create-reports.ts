import type { Query } from '@expert-relay/db';
import type { Log } from '@expert-relay/kit/log';
import type { Metrics } from '@expert-relay/kit/metrics';
import type { Queue } from 'bullmq';
import type { Outcome } from '../ending/end-requests.ts';
import type { JobFailure } from '../queue/create-queue.ts';
import type { SchedulerState } from '../watch/keep-scheduler.ts';
import { createMeters } from './create-meters.ts';
import { oldestOverdue } from './oldest-overdue.ts';

export type Reports = ReturnType<typeof createReports>;

/** All that the worker tells of its work: metrics, and log lines where somebody may want to look. */
export function createReports({ metrics, log }: { metrics: Metrics; log: Log }) {
  const meters = createMeters(metrics);
  return {
    ended(lateness: Outcome<unknown>['ended']): void {
      const all = Object.values(lateness);
      meters.ended.inc(all.length);
      for (const seconds of all) meters.lateness.observe(seconds);
    },

    swept({ requests, seconds }: { requests: number; seconds: number }): void {
      meters.sweepSeconds.observe(seconds);
      if (requests > 0) log.info({ requests, seconds }, 'a sweep ended overdue requests');
    },

    removed(what: string, rows: number): void {
      meters.purged.inc({ what }, rows);
    },

    purged({ seconds, backlog }: { seconds: number; backlog: number }): void {
      meters.purgeSeconds.observe(seconds);
      meters.purgeBacklog.set(backlog);
      log.info({ seconds, backlog }, 'what was kept long enough is purged');
    },

    scheduler(queue: string, state: SchedulerState): void {
      if (state === 'made') log.info({ queue }, 'a scheduler was made');
      if (state !== 'restored') return;
      meters.schedulerRestored.inc({ queue });
      log.warn(
        { queue },
        `the scheduler of the queue ${queue} was gone from Redis: it is put back; the next sweep puts back jobs`,
      );
    },

    jobFailed({ queue, error, final }: JobFailure): void {
      meters.jobFailures.inc({ queue, final: String(final) });
      if (final)
        log.error({ queue, err: error }, 'a job failed for good: the next sweep or purge does its work');
      else log.warn({ queue, reason: error.message }, 'a job failed: trying it again');
    },

    async measureQueues(queues: readonly Queue[]): Promise<void> {
      for (const queue of queues) {
        const counts = await queue.getJobCounts('wait', 'active', 'delayed', 'failed');
        for (const [state, jobs] of Object.entries(counts))
          meters.jobs.set({ queue: queue.name, state }, jobs);
      }
    },

    async measureOverdue(query: Query): Promise<void> {
      meters.oldestOverdue.set(await oldestOverdue(query));
    },
  };
}
