import { endedPerBatch, type Postgres } from '@expert-relay/db';
import { shortestLifetimeMs } from '@expert-relay/kit/config';
import type { Part } from '@expert-relay/kit/lifecycle';
import { endInBatches } from '../ending/end-requests.ts';
import type { QueuePart } from '../queue/queue.ts';
import type { Reports } from '../reports.ts';
import { trackWork } from '../track-work.ts';
import { enqueueUpcoming } from './enqueue-upcoming.ts';

export interface Sweep extends Part {
  /** The scheduled job: ends overdue requests, and enqueues a job for each that falls due soon. */
  run(): Promise<void>;
  /** The part of it that does not need Redis. */
  endOverdue(): Promise<void>;
}

export function createSweep(options: {
  database: Pick<Postgres, 'query'>;
  ends: QueuePart;
  interval: number;
  reports: Pick<Reports, 'ended' | 'swept'>;
}): Sweep {
  const { database, ends, interval, reports } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const { track, settled } = trackWork();

  async function endOverdue(): Promise<void> {
    const start = performance.now();
    let requests = 0;
    // The next sweep continues, and enqueues what falls due by then.
    const isOver = () => signal.aborted || performance.now() - start > interval;
    for await (const ended of endInBatches(database.query, endedPerBatch, isOver)) {
      requests += Object.keys(ended).length;
      reports.ended(ended);
    }
    reports.swept({ requests, seconds: (performance.now() - start) / 1_000 });
  }

  async function sweep(): Promise<void> {
    // Both run at the same time, so that a Redis that hangs does not delay the ends, and many overdue requests do not delay
    // the jobs.
    const enqueued = enqueueUpcoming({
      query: database.query,
      queue: ends.queue,
      horizonMs: 2 * interval,
      signal,
    });
    const results = await Promise.allSettled([endOverdue(), enqueued]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  return {
    name: 'sweep',
    run: () => track(sweep()),
    endOverdue: () => track(endOverdue()),
    // A long sweep stops after its batch; the next one, of any worker, continues.
    drain: () => stopping.abort(),
    async stop() {
      stopping.abort();
      await settled();
    },
  };
}

/** A conversation of the shortest lifetime is seen once before its end, with as much time left. */
const maxIntervalMs = shortestLifetimeMs / 2;
/** With a shorter one a worker would spend most of its time on sweeps. */
const minIntervalMs = 500;

/**
 * The interval between sweeps in milliseconds: half a minute, or a tenth of the default lifetime of conversations if that is
 * shorter, so that at least one sweep sees a request before it falls due.
 */
export function sweepInterval(conversationTtl: number): number {
  return Math.max(minIntervalMs, Math.min(maxIntervalMs, Math.floor(conversationTtl / 10)));
}
