import type { ReaderLog } from '../readers/resuming-reader.ts';
import type { Truth } from './read-truth.ts';

export interface EndsVerdict {
  readonly requests: number;
  readonly expired: number;
  /** Ended by expiry before their time, or told of before it. */
  readonly early: number;
  readonly doubled: number;
  /** Overdue, and not ended or not told of. */
  readonly missing: number;
  /** How long after its time the last one was ended, in seconds. */
  readonly latest: number;
}

/** Whether every conversation has ended exactly once, and none that expired did before its time. */
export function judgeEnds(truth: Truth, readers: readonly ReaderLog[]): EndsVerdict {
  const told = firstTold(readers);
  let [expired, early, doubled, missing, latest] = [0, 0, 0, 0, 0];
  for (const { refCode, status, expiresAt, events } of truth.values()) {
    const ends = events.filter(({ type }) => type === 'request_closed');
    const [end] = ends;
    if (ends.length > 1) doubled++;
    if (!end || (status !== 'closed' && status !== 'expired')) missing++;
    if (status !== 'expired' || !end) continue;
    expired++;
    if (end.recordedAt < expiresAt || (told.get(refCode) ?? expiresAt) < expiresAt) early++;
    latest = Math.max(latest, (end.recordedAt - expiresAt) / 1_000);
  }
  return { requests: truth.size, expired, early, doubled, missing, latest };
}

/** When each end was first heard of, by reference code. The clock is the one that Postgres has, too. */
function firstTold(readers: readonly ReaderLog[]): ReadonlyMap<string, number> {
  const told = new Map<string, number>();
  for (const { topics, stretches } of readers) {
    if (!topics[0]?.endsWith('/activity')) continue;
    for (const { data, at } of stretches.flatMap(({ events }) => events)) {
      const { type, refCode } = JSON.parse(data) as Record<string, string>;
      if (type === 'request_closed' && refCode) told.set(refCode, Math.min(at, told.get(refCode) ?? at));
    }
  }
  return told;
}
