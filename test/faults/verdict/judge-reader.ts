import type { Stretch } from '../readers/resuming-reader.ts';
import { keyOf } from './expected-on.ts';
import type { CommittedEvent } from './read-truth.ts';

export interface ReaderVerdict {
  readonly expected: number;
  readonly delivered: number;
  readonly lost: number;
  readonly doubled: number;
  readonly disordered: number;
  /** Events that belong to no topic of the reader, or that nobody committed. */
  readonly strange: number;
  readonly resets: number;
}

/**
 * Holds what came against what was committed. After a reset a reader may have missed what lay before it,
 * and may meet again what it knew; from there on every event must come, once and in order.
 */
export function judgeReader(
  stretches: readonly Stretch[],
  expected: ReadonlyMap<string, readonly CommittedEvent[]>,
): ReaderVerdict {
  const places = new Map<string, Place>();
  for (const [requestId, events] of expected)
    for (const [index, { key }] of events.entries()) places.set(key, { requestId, index });

  const got = new Set<string>();
  let [delivered, doubled, disordered, strange] = [0, 0, 0, 0];
  for (const { events } of stretches) {
    const seen = new Set<string>();
    const newest = new Map<string, number>();
    for (const { data } of events) {
      const key = keyOf(data);
      const place = places.get(key);
      delivered++;
      if (!place) strange++;
      else if (seen.has(key)) doubled++;
      else {
        if (place.index < (newest.get(place.requestId) ?? 0)) disordered++;
        newest.set(place.requestId, place.index);
      }
      seen.add(key);
      got.add(key);
    }
  }

  const resumedAfter = Number(stretches.at(-1)?.after?.split('.')[1] ?? 0);
  const all = [...expected.values()].flat();
  const due = stretches.length === 1 ? all : all.filter(({ streamSeq }) => streamSeq > resumedAfter);
  return {
    expected: all.length,
    delivered,
    lost: due.filter(({ key }) => !got.has(key)).length,
    doubled,
    disordered,
    strange,
    resets: stretches.length - 1,
  };
}

interface Place {
  readonly requestId: string;
  readonly index: number;
}
