import type { Entry } from '../feed/entry.ts';
import type { Subscriber } from '../stream/subscriber.ts';

/** A subscriber's copies of an event, from the given one on; nothing when none of its topics is concerned. */
export function copiesFor({ topics }: Subscriber, entry: Entry, start = 0): string {
  const copies = [...entry.topics.keys()].filter(
    (copy) => copy >= start && topics.includes(entry.topics[copy] as string),
  );
  if (copies.length === 0) return '';
  const event = entry.read();
  return copies.map((copy) => entry.block(copy, copy !== copies.at(-1), event)).join('');
}
