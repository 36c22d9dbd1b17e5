import { Counter, Gauge, Histogram, type Metrics } from '@expert-relay/kit/metrics';

/** What an operator sees of the worker; each says itself what it is. */
export function createMeters(metrics: Metrics) {
  const registers = [metrics];
  return {
    ended: new Counter({
      name: 'relay_expiry_ended_total',
      help: 'Requests that this worker ended.',
      registers,
    }),
    lateness: new Histogram({
      name: 'relay_expiry_lateness_seconds',
      help: 'Time from the moment at which a request fell due to its end.',
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
      help: 'How often the scheduler of a queue was gone and was put back.',
      labelNames: ['queue'],
      registers,
    }),
    purged: new Counter({
      name: 'relay_purge_removed_total',
      help: 'What this worker removed since it was kept long enough, by kind: content is counted in requests.',
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
