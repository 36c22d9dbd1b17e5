import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@expert-relay/kit/clock';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import { withTimeout } from '@expert-relay/kit/timeout';
import { createSchedulerKeeper } from './queue/create-scheduler-keeper.ts';
import type { QueuePart } from './queue/queue.ts';
import type { Reports } from './reports.ts';

/** A Redis that does not answer in this time counts as away. */
const redisTimeoutMs = 3_000;
const maxIntervalMs = 5_000;

/**
 * Ends requests even when the queue does not work: a timer of this process restores the queue's schedulers, and ends overdue
 * requests without the queue while Redis is away.
 */
export function createWatch(options: {
  interval: number;
  redisConnected: () => boolean;
  maintainQueues: () => Promise<void>;
  endOverdue: () => Promise<void>;
  measureOverdue: () => Promise<void>;
  log: Log;
}): Part {
  const { redisConnected, maintainQueues, endOverdue, measureOverdue, log } = options;
  const intervalMs = Math.min(options.interval, maxIntervalMs);
  const stopping = new AbortController();
  let watching: Promise<void> | undefined;

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await check().catch((error) =>
        log.warn({ reason: error.message }, 'could not check for overdue requests'),
      );
      await pause(intervalMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function check(): Promise<void> {
    if (!redisConnected() || !(await tryMaintenance())) await endOverdue();
    await measureOverdue();
  }

  async function tryMaintenance(): Promise<boolean> {
    try {
      await withTimeout(maintainQueues(), redisTimeoutMs);
      return true;
    } catch (error) {
      const reason = (error as Error).message;
      log.warn({ reason }, 'the queues cannot be maintained: ending overdue requests without them');
      return false;
    }
  }

  return {
    name: 'watch',
    async start() {
      watching = watch();
    },
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

/** Restores the schedulers that Redis has lost, and counts the jobs. */
export function createQueueMaintenance(options: {
  /** The queues that a scheduler fills, and how often. */
  scheduled: readonly { queue: QueuePart; interval: number }[];
  ends: QueuePart;
  clock: Clock;
  reports: Reports;
}): () => Promise<void> {
  const { scheduled, ends, clock, reports } = options;
  const keepers = scheduled.map(({ queue, interval }) => ({
    queue,
    keep: createSchedulerKeeper({ scheduled: queue, interval, clock }),
  }));
  return async () => {
    for (const { queue, keep } of keepers) reports.scheduler(queue.queue.name, await keep());
    await reports.measureQueues([...scheduled.map(({ queue }) => queue.queue), ends.queue]);
  };
}
