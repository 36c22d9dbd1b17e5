import type { Entry } from '../feed/entry.ts';
import type { Subscriber } from '../stream/subscriber.ts';

/** Sends one subscriber its copies of an event, from the given one on. */
export function sendCopies(subscriber: Subscriber, entry: Entry, start = 0): void {
  const wanted = entry.topics.map((topic, copy) => copy >= start && subscriber.topics.includes(topic));
  if (wanted[0]) subscriber.outlet.write(wanted[1] ? entry.firstOfTwo() : entry.frame(0));
  if (wanted[1]) subscriber.outlet.write(entry.frame(1));
}
