import { setTimeout as pause } from 'node:timers/promises';
import type { Query } from '@expert-relay/db';
import type { Part } from '@expert-relay/kit/lifecycle';
import { followWork } from '../queue/follow-work.ts';
import type { Reports } from '../reports/create-reports.ts';
import { purgeBacklog } from './purge-backlog.ts';
import { isPurgeHour } from './purge-hours.ts';
import { type PurgeStep, purgeSteps, type Retention } from './purge-steps.ts';

export interface Purge extends Part {
  /** What the scheduler calls. */
  run(): Promise<void>;
}

/**
 * Removes what has been kept long enough, behind everybody's back: in small batches, and after each a pause
 * as long as it took, so that at most half of one connection's time goes into it. What a run leaves, at its
 * stop, at the end of the hours or of its time, is the next one's.
 */
export function createPurge(options: {
  query: Query;
  retention: Retention & { readonly hours: string };
  /** Milliseconds after which a run leaves off. */
  longestRun: number;
  reports: Pick<Reports, 'removed' | 'purged'>;
}): Purge {
  const { query, retention, longestRun, reports } = options;
  const steps = purgeSteps(query, retention);
  const stopping = new AbortController();
  const { signal } = stopping;
  const { follow, settled } = followWork();

  async function purge(): Promise<void> {
    const start = performance.now();
    let left = steps;
    while (left.length > 0 && !signal.aborted && performance.now() - start < longestRun) {
      if (!(await isPurgeHour(query, retention.hours))) break;
      left = await round(left);
    }
    const backlog = await purgeBacklog(query, retention.content);
    reports.purged({ seconds: (performance.now() - start) / 1_000, backlog });
  }

  /** A batch of each, so that much of one kind does not keep the others waiting; gives those that go on. */
  async function round(some: readonly PurgeStep[]): Promise<readonly PurgeStep[]> {
    const unfinished: PurgeStep[] = [];
    for (const step of some) {
      if (signal.aborted) break;
      const start = performance.now();
      const rows = await step.batch();
      if (rows === 0) continue;
      unfinished.push(step);
      reports.removed(step.what, rows);
      await pause(performance.now() - start, undefined, { signal }).catch(() => {});
    }
    return unfinished;
  }

  return {
    name: 'purge',
    run: () => follow(purge()),
    drain: () => stopping.abort(),
    async stop() {
      stopping.abort();
      await settled();
    },
  };
}
