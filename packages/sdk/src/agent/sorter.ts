import type { Follower } from '../thread/follower.ts';
import type { Thread } from '../thread/thread.ts';
import type { Api } from '../transport/api.ts';
import { listRequests } from '../transport/list-requests.ts';
import type { Members } from '../transport/shape.ts';
import { startTimer } from '../transport/timer.ts';

/** A conversation that somebody waits for. */
export interface Awaited {
  readonly topic: string;
  readonly thread: Thread;
  readonly follower: Follower;
  readonly refCode: string;
  look(): void;
}

/** How soon an answer follows the keys, when a program gives it. */
const breath = 50;
/** Reading so many is less than finding out which. */
const few = 3;

/**
 * Finds the conversations that an event is about. A `new_message` does not say, and on a stream of many topics
 * it could be any: the list of requests tells by the number of answers.
 */
export function createSorter(api: () => Api, awaited: ReadonlySet<Awaited>) {
  let isSorting = false;
  let isStale = false;

  async function sort(): Promise<void> {
    isSorting = true;
    while (isStale) {
      isStale = false;
      const all = [...awaited];
      const counts = await countAnswers(api()).catch(() => undefined);
      for (const one of all) {
        const { requestId, head } = one.thread;
        if (!counts || (counts.get(requestId) ?? 0) !== (head?.responseCount ?? 0)) one.look();
      }
    }
    isSorting = false;
  }

  return (event: Members, topics: ReadonlySet<string>): void => {
    // Our own message, or that of another process with our key: the next answer brings it along.
    if (event.role === 'consumer') return;
    const candidates = [...awaited].filter(({ topic }) => topics.has(topic));
    const named = candidates.filter(({ refCode }) => refCode === event.refCode);
    if (named.length > 0 || candidates.length <= few) {
      // Who answers at once has exchanged keys just before: one look finds both.
      for (const one of named.length > 0 ? named : candidates) {
        if (event.type === 'key_exchange') startTimer(breath, () => one.look());
        else one.look();
      }
      return;
    }
    isStale = true;
    if (!isSorting) void sort();
  };
}

/** An answered conversation that is still open is `responded`; one that ends has an event that names it. */
async function countAnswers(api: Api): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const page of listRequests(api, { status: 'responded' })) {
    for (const { requestId, responseCount } of page) counts.set(requestId, responseCount);
  }
  return counts;
}
