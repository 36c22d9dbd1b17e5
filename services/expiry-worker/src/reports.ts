import { failures, type Query } from '@expert-relay/db';
import type { Log } from '@expert-relay/kit/log';
import { Counter, Gauge, Histogram, type Metrics } from '@expert-relay/kit/metrics';
import type { Queue } from 'bullmq';
import type { EndedRequests } from './ending/end-requests.ts';
import type { SchedulerState } from './queue/create-scheduler-keeper.ts';
import type { JobFailure } from './queue/queue.ts';

export type Reports = ReturnType<typeof createReports>;

/** The worker's metrics, and its log lines for operators. */
export function createReports(options: {
  metrics: Metrics;
  log: Log;
  /** Whether the database is away or lacks migrations, which it has logged itself. */
  isDatabaseAway: () => boolean;
}) {
  const { metrics, log, isDatabaseAway } = options;
  const meters = createMeters(metrics);
  return {
    ended(lateness: EndedRequests): void {
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
      log.info({ seconds, backlog }, 'a purge has ended');
    },

    scheduler(queue: string, state: SchedulerState): void {
      if (state === 'created') log.info({ queue }, 'a scheduler was created');
      if (state !== 'restored') return;
      meters.schedulerRestored.inc({ queue });
      log.warn(
        { queue },
        `the scheduler of the queue ${queue} was missing in Redis, or did not run: it is restored, and a sweep restores the jobs`,
      );
    },

    jobFailed({ queue, error, final }: JobFailure): void {
      meters.jobFailures.inc({ queue, final: String(final) });
      const message = 'a job failed and is not tried again: the next sweep or purge does its work';
      if (final && (isDatabaseAway() || failures.isOutage(error)))
        log.warn({ queue, reason: error.message }, message);
      else if (final) log.error({ queue, err: error }, message);
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

function createMeters(metrics: Metrics) {
  const registers = [metrics];
  return {
    ended: new Counter({
      name: 'relay_expiry_requests_ended_total',
      help: 'Requests that this worker ended.',
      registers,
    }),
    lateness: new Histogram({
      name: 'relay_expiry_lateness_seconds',
      help: 'Time from the expiry of a request to its end.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3600],
      registers,
    }),
    sweepSeconds: new Histogram({
      name: 'relay_expiry_sweep_seconds',
      help: 'How long a sweep took.',
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300],
      registers,
    }),
    schedulerRestored: new Counter({
      name: 'relay_expiry_scheduler_restored_total',
      help: 'How often the scheduler of a queue was missing and was restored.',
      labelNames: ['queue'],
      registers,
    }),
    purged: new Counter({
      name: 'relay_purge_removed_total',
      help: 'What this worker removed after its retention, by kind: content is counted in requests.',
      labelNames: ['what'],
      registers,
    }),
    purgeSeconds: new Histogram({
      name: 'relay_purge_seconds',
      help: 'How long a purge took, its pauses included.',
      buckets: [0.1, 1, 10, 60, 300, 900, 1800, 3600],
      registers,
    }),
    purgeBacklog: new Gauge({
      name: 'relay_purge_backlog_seconds',
      help: 'After the last purge: for how long the oldest content was kept beyond its retention.',
      registers,
    }),
    jobFailures: new Counter({
      name: 'relay_expiry_job_failures_total',
      help: 'Failed attempts of jobs; final ones are not tried again, the next sweep or purge does their work.',
      labelNames: ['queue', 'final'],
      registers,
    }),
    jobs: new Gauge({
      name: 'relay_expiry_jobs',
      help: 'Jobs in Redis by queue and state.',
      labelNames: ['queue', 'state'],
      registers,
    }),
    oldestOverdue: new Gauge({
      name: 'relay_expiry_oldest_overdue_seconds',
      help: 'For how long the oldest request that is not yet ended has been overdue; 0 when there is none.',
      registers,
    }),
  };
}

/** For how many seconds the oldest request that is not yet ended has been overdue; 0 when there is none. */
async function oldestOverdue(query: Query): Promise<number> {
  const [row] = await query<{ seconds: number | null }>`
    SELECT extract(epoch FROM now() - min(at))::float8 AS seconds
    FROM request_stages WHERE stage = 'open' AND at <= now()`;
  return row?.seconds ?? 0;
}
