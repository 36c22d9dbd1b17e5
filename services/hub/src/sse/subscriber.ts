import type { Credential } from '../authorise/stream-token.ts';
import type { Entry } from '../events/entry.ts';
import type { StreamWriter } from './stream-writer.ts';

/**
 * The life of a stream. `resume/catch-up.ts` moves it to `live`, `streams.ts` ends it.
 *
 *   pending ──► ahead, replaying, scanning (in any order) ──► live, missing (in turn) ──► ending ──► closed
 *
 * | State       | The subscriber                                                                      |
 * |-------------|-------------------------------------------------------------------------------------|
 * | `pending`   | waits until the hub has read the newest events of the NATS stream                   |
 * | `ahead`     | has a newer position than the hub, and waits until the hub has reached it or cannot |
 * | `replaying` | gets events from memory                                                             |
 * | `scanning`  | gets older events from NATS, or waits for the scan that reads them                  |
 * | `live`      | has received every event, and gets each new one                                     |
 * | `missing`   | misses events, and gets `hub.reset` within ten seconds, then each new one           |
 * | `ending`    | got `hub.end`, its last event; the connection is not closed yet                     |
 * | `closed`    | has no connection any more                                                          |
 */
export type SubscriberState = keyof typeof nextStates;

const whileCatchingUp = ['ahead', 'replaying', 'scanning', 'live', 'ending', 'closed'];
/** The states that may follow each state. */
const nextStates = {
  pending: whileCatchingUp,
  ahead: whileCatchingUp,
  replaying: whileCatchingUp,
  scanning: whileCatchingUp,
  live: ['missing', 'ending', 'closed'],
  missing: ['live', 'ending', 'closed'],
  ending: ['closed'],
  closed: [] as string[],
};

/** One open stream: its connection, its topics and its state. */
export class Subscriber {
  readonly writer: StreamWriter;
  readonly topics: readonly string[];
  /** The credential that the stream depends on; undefined for an anonymous one. */
  readonly credential: Credential | undefined;
  readonly network: string;
  /** The `x-request-id` of its response. */
  readonly callId: string;
  readonly openedAt: number;
  readonly endsAt: number;
  /** When its credential ends; infinite as long as no end is known. */
  credentialEndsAt = Number.POSITIVE_INFINITY;
  /** Why it ended; `left` unless the hub ended it. */
  endReason = 'left';
  #state: SubscriberState = 'pending';

  constructor(options: {
    writer: StreamWriter;
    topics: readonly string[];
    credential: Credential | undefined;
    network: string;
    callId: string;
    openedAt: number;
    endsAt: number;
  }) {
    this.writer = options.writer;
    this.topics = options.topics;
    this.credential = options.credential;
    this.network = options.network;
    this.callId = options.callId;
    this.openedAt = options.openedAt;
    this.endsAt = options.endsAt;
  }

  get state(): SubscriberState {
    return this.#state;
  }

  enter(next: SubscriberState): void {
    if (!nextStates[this.#state].includes(next)) {
      throw new Error(`A stream cannot change from ${this.#state} to ${next}: see the table of states.`);
    }
    this.#state = next;
  }

  get isLive(): boolean {
    return this.#state === 'live';
  }

  /** Whether it can be written to. A connection may break at any time, in every state. */
  get isOpen(): boolean {
    return this.writer.isOpen;
  }
}

/** The subscribers of each topic. The cost of an event depends on its own subscribers only. */
export class SubscribersByTopic {
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

  /** Calls `send` for each subscriber of each copy of an event; `hasMore` if it gets another copy after this one. */
  forEach(entry: Entry, send: (subscriber: Subscriber, copy: number, hasMore: boolean) => void): void {
    for (const [copy, topic] of entry.topics.entries()) {
      const members = this.#byTopic.get(topic);
      if (!members) continue;
      for (const subscriber of members) send(subscriber, copy, entry.hasMore(subscriber.topics, copy));
    }
  }
}
