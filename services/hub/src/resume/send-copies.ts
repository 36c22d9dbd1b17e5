import type { Entry } from '../feed/entry.ts';
import type { Subscriber } from '../stream/subscriber.ts';

/** Sends one subscriber its copies of an event, from the given one on, together with what else it catches up with. */
export function sendCopies(subscriber: Subscriber, entry: Entry, start = 0): void {
  const { outlet, topics } = subscriber;
  const [first, second] = entry.topics.map((topic, copy) => copy >= start && topics.includes(topic));
  if (first) outlet.collect(second ? entry.firstOfTwo() : entry.block(0));
  if (second) outlet.collect(entry.block(1));
}
