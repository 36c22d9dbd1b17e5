import { setTimeout as pause } from 'node:timers/promises';
import type { Postgres } from '@expert-relay/db';
import type { Part } from '@expert-relay/kit/lifecycle';
import { endOverdue } from '../ending/end-overdue.ts';
import type { QueuePart } from '../queue/create-queue.ts';
import { followWork } from '../queue/follow-work.ts';
import type { Reports } from '../reports/create-reports.ts';
import { enqueueUpcoming } from './enqueue-upcoming.ts';
import { mendStages } from './mend-stages.ts';

const batchSize = 2_000;
/** After each batch it rests for this share of the time that it took: else callers of the API notice a long sweep. */
const rest = 0.5;

export interface Sweep extends Part {
  /** What the scheduler calls: ends what is overdue, and plans what falls due soon. */
  run(): Promise<void>;
  /** The half of it that needs no Redis. */
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
  const { follow, settled } = followWork();

  async function endAll(): Promise<void> {
    const start = performance.now();
    let batchStart = start;
    let requests = 0;
    for await (const ended of endOverdue(database.query, batchSize)) {
      requests += Object.keys(ended).length;
      reports.ended(ended);
      await pause((performance.now() - batchStart) * rest, undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
      batchStart = performance.now();
    }
    // After one that left off it would look up every request that is still overdue, and hold up the stop.
    await mendStages(database.query, signal);
    reports.swept({ requests, seconds: (performance.now() - start) / 1_000 });
  }

  async function sweep(): Promise<void> {
    // Side by side: a Redis that hangs keeps no request open, and a million overdue ones keep no job waiting.
    const planned = enqueueUpcoming({
      query: database.query,
      queue: ends.queue,
      horizon: 2 * interval,
      signal,
    });
    const results = await Promise.allSettled([endAll(), planned]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  return {
    name: 'sweep',
    run: () => follow(sweep()),
    endOverdue: () => follow(endAll()),
    // A long sweep leaves off at once, after its batch: the next one, of whichever worker, goes on.
    drain: () => stopping.abort(),
    async stop() {
      stopping.abort();
      await settled();
    },
  };
}
