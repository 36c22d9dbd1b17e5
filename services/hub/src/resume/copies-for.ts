import type { Entry } from '../feed/entry.ts';
import type { Subscriber } from '../stream/subscriber.ts';

/** A subscriber's copies of an event, from the given one on; nothing when none of its topics is concerned. */
export function copiesFor({ topics }: Subscriber, entry: Entry, start = 0): string {
  const [first, second] = entry.topics.map((topic, copy) => copy >= start && topics.includes(topic));
  if (!first) return second ? entry.block(1) : '';
  return second ? entry.firstOfTwo() + entry.block(1) : entry.block(0);
}
