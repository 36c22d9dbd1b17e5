import { createPostgres } from '@expert-relay/db';
import { systemClock } from '@expert-relay/kit/clock';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createRedis } from '@expert-relay/kit/redis';
import type { Config } from './config.ts';
import { createEndBatcher, createEndJob } from './ending/end-job.ts';
import { checkRedis } from './queue/check-redis.ts';
import { createQueue } from './queue/queue.ts';
import { createReports } from './reports.ts';
import { createPurge } from './retention/purge.ts';
import { createSweep, sweepInterval } from './sweep/sweep.ts';
import { createQueueMaintenance, createWatch } from './watch.ts';

export function create(config: Config, overrides: Overrides = {}): Service {
  const { clock = systemClock, log = createLog('expiry-worker', { level: config.process.logLevel }) } =
    overrides;
  const metrics = createMetrics('expiry-worker', { forProcess: overrides.log === undefined });
  const interval = sweepInterval(config.conversationTtl);

  const database = createPostgres({ ...config.database, log, plansEachTime: true });
  const { query } = database;
  const reports = createReports({ metrics, log, isDatabaseAway: () => database.notReady() !== undefined });
  const redis = createRedis({
    url: config.redis.url,
    name: 'expiry-worker',
    whileAway: 'wait',
    key: `${config.redis.prefix}:expiry:`,
    log,
  });

  const shared = {
    redis: redis.client,
    prefix: `${config.redis.prefix}:expiry`,
    onFailure: reports.jobFailed,
  };
  const end = createEndJob(createEndBatcher(query, reports.ended));
  const ends = createQueue({ ...shared, name: 'end', concurrency: 200, work: end });
  const sweep = createSweep({ database, ends, interval, reports });
  const sweeps = createQueue({ ...shared, name: 'sweep', concurrency: 1, work: sweep.run });

  const { retention } = config;
  const purge = createPurge({ query, retention, maxRunMs: retention.interval / 2, reports });
  const purges = createQueue({ ...shared, name: 'purge', concurrency: 1, work: purge.run });
  const scheduled = [
    { queue: sweeps, interval },
    { queue: purges, interval: retention.interval },
  ];

  const watch = createWatch({
    interval,
    redisConnected: () => redis.connected,
    maintainQueues: createQueueMaintenance({ scheduled, ends, clock, reports }),
    endOverdue: sweep.endOverdue,
    measureOverdue: () => reports.measureOverdue(query),
    log,
  });

  // Redis is stopped before sweep and purge: work that waits for Redis fails, work that waits for Postgres is finished.
  const queues = [checkRedis({ redis, log }), ends, sweeps, purges];
  const parts = [database, sweep, purge, redis, ...queues, watch];
  return composeService({ name: 'expiry-worker', parts, log, metrics, settings: config.process });
}
