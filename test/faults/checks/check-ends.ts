import type { ReaderLog } from '../readers/resuming-reader.ts';
import type { CommittedState } from './read-committed.ts';

export interface EndsResult {
  readonly requests: number;
  readonly expired: number;
  /** Expired before their time, or their event was delivered before it. */
  readonly early: number;
  readonly duplicated: number;
  /** Overdue and not ended, or without an event. */
  readonly missing: number;
  /** The longest delay between the expiry time and the end, in seconds. */
  readonly latest: number;
}

/** Checks that every conversation has ended exactly once, and none has expired before its time. */
export function checkEnds(committed: CommittedState, readers: readonly ReaderLog[]): EndsResult {
  const delivered = firstDeliveries(readers);
  let [expired, early, duplicated, missing, latest] = [0, 0, 0, 0, 0];
  for (const { refCode, status, expiresAt, events } of committed.values()) {
    const ends = events.filter(({ type }) => type === 'request_closed');
    const [end] = ends;
    if (ends.length > 1) duplicated++;
    if (!end || (status !== 'closed' && status !== 'expired')) missing++;
    if (status !== 'expired' || !end) continue;
    expired++;
    if (end.recordedAt < expiresAt || (delivered.get(refCode) ?? expiresAt) < expiresAt) early++;
    latest = Math.max(latest, (end.recordedAt - expiresAt) / 1_000);
  }
  return { requests: committed.size, expired, early, duplicated, missing, latest };
}

/** When each end was first delivered, by reference code. Postgres runs on the same machine, so the clock is the same. */
function firstDeliveries(readers: readonly ReaderLog[]): ReadonlyMap<string, number> {
  const delivered = new Map<string, number>();
  for (const { topics, segments } of readers) {
    if (!topics[0]?.endsWith('/activity')) continue;
    for (const { data, at } of segments.flatMap(({ events }) => events)) {
      const { type, refCode } = JSON.parse(data) as Record<string, string>;
      if (type === 'request_closed' && refCode)
        delivered.set(refCode, Math.min(at, delivered.get(refCode) ?? at));
    }
  }
  return delivered;
}
