import { setTimeout as pause } from 'node:timers/promises';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import { within } from '../queue/within.ts';

/** A Redis that answers more slowly than this counts as away. */
const patience = 3_000;
const longestPause = 5_000;

/**
 * What keeps the worker working when the queue does not: by a timer of this process it looks after the
 * queue, and ends overdue requests itself while Redis is away.
 */
export function createWatch(options: {
  interval: number;
  redisConnected: () => boolean;
  lookAfterQueue: () => Promise<void>;
  endOverdue: () => Promise<void>;
  measureOverdue: () => Promise<void>;
  log: Log;
}): Part {
  const { redisConnected, lookAfterQueue, endOverdue, measureOverdue, log } = options;
  const wait = Math.min(options.interval, longestPause);
  const stopping = new AbortController();
  let watching: Promise<void> | undefined;

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look().catch((error) =>
        log.warn({ reason: error.message }, 'could not look for overdue requests'),
      );
      await pause(wait, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function look(): Promise<void> {
    if (!redisConnected() || !(await queueWorks())) await endOverdue();
    await measureOverdue();
  }

  async function queueWorks(): Promise<boolean> {
    try {
      if (await within(patience, lookAfterQueue())) return true;
      log.warn({ patience }, 'Redis does not answer: ending overdue requests without the queue');
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'Redis did not answer');
    }
    return false;
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
