import { setTimeout as pause } from 'node:timers/promises';
import type { Query } from '@expert-relay/db';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Reports } from '../reports.ts';
import { trackWork } from '../track-work.ts';
import {
  deleteFailedEvents,
  deleteIdempotency,
  deleteKeys,
  deleteRequests,
  deleteSecrets,
  eraseContent,
} from './remove-batch.ts';

export interface Purge extends Part {
  /** The scheduled job. */
  run(): Promise<void>;
}

/** How long data is kept after the end of its request, in milliseconds. */
interface Retention {
  readonly content: number;
  readonly metadata: number;
}

/**
 * Removes data whose retention is over, in small batches. After each it pauses as long as the batch took, so it uses at
 * most half of one connection's time. A run ends early when the worker stops, when the purge hours end, or after
 * `maxRunMs`; the next run continues.
 */
export function createPurge(options: {
  query: Query;
  retention: Retention & { readonly hours: string };
  maxRunMs: number;
  reports: Pick<Reports, 'removed' | 'purged'>;
}): Purge {
  const { query, retention, maxRunMs, reports } = options;
  const steps = purgeSteps(query, retention);
  const stopping = new AbortController();
  const { signal } = stopping;
  const { track, settled } = trackWork();

  async function purge(): Promise<void> {
    const start = performance.now();
    let unfinished = steps;
    while (unfinished.length > 0 && !signal.aborted && performance.now() - start < maxRunMs) {
      if (!(await isPurgeHour(query, retention.hours))) break;
      unfinished = await runEach(unfinished);
    }
    const backlog = await purgeBacklog(query, retention.content);
    reports.purged({ seconds: (performance.now() - start) / 1_000, backlog });
  }

  /** Removes one batch of each kind, so that no kind waits for another; returns the kinds of which more may be left. */
  async function runEach(some: readonly PurgeStep[]): Promise<readonly PurgeStep[]> {
    const more: PurgeStep[] = [];
    for (const step of some) {
      if (signal.aborted) break;
      const start = performance.now();
      const rows = await step.batch();
      if (rows === 0) continue;
      more.push(step);
      reports.removed(step.what, rows);
      await pause(performance.now() - start, undefined, { signal }).catch(() => {});
    }
    return more;
  }

  return {
    name: 'purge',
    run: () => track(purge()),
    drain: () => stopping.abort(),
    async stop() {
      stopping.abort();
      await settled();
    },
  };
}

interface PurgeStep {
  /** Its label in metrics. */
  readonly what: string;
  /** Removes one batch in one statement; returns the number of rows, 0 when none is left. */
  batch(): Promise<number>;
}

/** All kinds of data that are removed. Any worker may run the next batch. */
function purgeSteps(query: Query, { content, metadata }: Retention): readonly PurgeStep[] {
  return [
    { what: 'content', batch: () => eraseContent(query, content) },
    { what: 'requests', batch: () => deleteRequests(query, metadata) },
    { what: 'idempotency', batch: () => deleteIdempotency(query) },
    { what: 'secrets', batch: () => deleteSecrets(query, content) },
    { what: 'keys', batch: () => deleteKeys(query, metadata) },
    { what: 'failed_events', batch: () => deleteFailedEvents(query, content) },
  ];
}

/** `22-6`: from 22:00 until 6:00. */
export const purgeHoursPattern = /^([01]?\d|2[0-4])-([01]?\d|2[0-4])$/;

/** Whether an hour of the day belongs to `hours`. */
export function isHourOf(hours: string, hour: number): boolean {
  const [from = 0, until = 24] = hours.split('-').map(Number);
  return from < until ? from <= hour && hour < until : from <= hour || hour < until;
}

/** Whether now, by the database's clock and in UTC, is an hour for purging. */
async function isPurgeHour(query: Query, hours: string): Promise<boolean> {
  const [row] = await query<{ hour: number }>`
    SELECT extract(hour FROM now() AT TIME ZONE 'UTC')::int AS hour`;
  return isHourOf(hours, row?.hour ?? 0);
}

/** For how many seconds the oldest content has been kept beyond its retention; 0 when there is none. */
async function purgeBacklog(query: Query, retention: number): Promise<number> {
  const [row] = await query<{ seconds: number | null }>`
    SELECT extract(epoch FROM now() - min(at))::float8 - ${retention / 1000}::float8 AS seconds
    FROM request_stages WHERE stage = 'ended'`;
  return Math.max(0, row?.seconds ?? 0);
}
