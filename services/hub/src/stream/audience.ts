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

  /** Calls `send` for everyone whom an event concerns, with which copy of it, and whether more of it follow. */
  deliver(entry: Entry, send: (subscriber: Subscriber, copy: number, hasMore: boolean) => void): void {
    for (const [copy, topic] of entry.topics.entries()) {
      const members = this.#byTopic.get(topic);
      if (!members) continue;
      for (const subscriber of members) send(subscriber, copy, entry.hasMore(subscriber.topics, copy));
    }
  }
}
