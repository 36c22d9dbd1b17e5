import type { Entry } from '../feed/entry.ts';
import type { Subscriber } from './subscriber.ts';

/** Subscribers by topic. An event costs as much as it has subscribers here, however many others there are. */
export class Audience {
  readonly #byTopic = new Map<string, Set<Subscriber>>();

  join(subscriber: Subscriber): void {
    for (const topic of subscriber.topics) {
      const members = this.#byTopic.get(topic);
      if (members) members.add(subscriber);
      else this.#byTopic.set(topic, new Set([subscriber]));
    }
  }

  leave(subscriber: Subscriber): void {
    for (const topic of subscriber.topics) {
      const members = this.#byTopic.get(topic);
      members?.delete(subscriber);
      if (members?.size === 0) this.#byTopic.delete(topic);
    }
  }

  /** Calls `send` for everyone whom an event concerns, with which copy of it; `hasBoth` when the other one follows. */
  deliver(entry: Entry, send: (subscriber: Subscriber, copy: number, hasBoth: boolean) => void): void {
    const [topic, otherTopic] = entry.topics;
    const first = topic === undefined ? undefined : this.#byTopic.get(topic);
    const second = otherTopic === undefined ? undefined : this.#byTopic.get(otherTopic);
    if (first) for (const subscriber of first) send(subscriber, 0, second?.has(subscriber) ?? false);
    if (second) for (const subscriber of second) send(subscriber, 1, false);
  }
}
