import { setTimeout as pause } from 'node:timers/promises';
import type { EventHead } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Credential } from '../authorise/credential.ts';
import type { Entry } from '../feed/entry.ts';
import type { Feed } from '../feed/feed.ts';
import type { Audience } from './audience.ts';
import { type EndReason, farewell, heartbeat } from './blocks.ts';
import { jitter } from './jitter.ts';
import { Pulse } from './pulse.ts';
import type { StreamCaps } from './stream-caps.ts';
import type { StreamMetrics } from './stream-metrics.ts';
import type { Subscriber } from './subscriber.ts';

export interface StreamSettings {
  readonly heartbeat: number;
  readonly retry: number;
  readonly maxStall: number;
  readonly drainSpread: number;
}

/** All open streams: their events, their heartbeats and their ends. */
export class Streams implements Part {
  readonly name = 'streams';
  readonly #feed: Feed;
  readonly #live: Audience;
  readonly #caps: StreamCaps;
  readonly #settings: StreamSettings;
  readonly #clock: Clock;
  readonly #metrics: StreamMetrics;
  readonly #log: Log;
  readonly #onGone: (subscriber: Subscriber) => void;
  readonly #endOf: (credential: Credential) => number;
  readonly #pulse: Pulse<Subscriber>;
  readonly #open = new Set<Subscriber>();
  /** Streams whose credential is known to end. They are looked at more often than each heartbeat. */
  readonly #expiring = new Set<Subscriber>();
  #expiry: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: {
    feed: Feed;
    live: Audience;
    caps: StreamCaps;
    settings: StreamSettings;
    clock: Clock;
    metrics: StreamMetrics;
    log: Log;
    onGone: (subscriber: Subscriber) => void;
    /** When a credential ends, in milliseconds; infinite as long as no end is known. */
    endOf: (credential: Credential) => number;
  }) {
    this.#feed = options.feed;
    this.#live = options.live;
    this.#caps = options.caps;
    this.#settings = options.settings;
    this.#clock = options.clock;
    this.#metrics = options.metrics;
    this.#log = options.log;
    this.#onGone = options.onGone;
    this.#endOf = options.endOf;
    this.#pulse = new Pulse({
      period: options.settings.heartbeat,
      slots: 50,
      visit: (subscribers) => this.#visit(subscribers),
    });
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  add(subscriber: Subscriber): void {
    this.#open.add(subscriber);
    this.#caps.add(subscriber);
    this.#pulse.add(subscriber);
    subscriber.outlet.onOverflow = () => {
      // Who catches up is given no more than it takes.
      if (subscriber.isLive) this.#cut(subscriber, 'slow');
    };
    subscriber.outlet.onClose(() => {
      this.#open.delete(subscriber);
      this.#caps.remove(subscriber);
      this.#pulse.remove(subscriber);
      this.#expiring.delete(subscriber);
      if (subscriber.isLive) this.#live.leave(subscriber);
      this.#metrics.ended.inc({ reason: subscriber.endReason });
      this.#log.info(this.#describe(subscriber), 'stream');
      this.#onGone(subscriber);
    });
    this.#limitToCredential(subscriber);
  }

  deliver(entry: Entry, event: EventHead | undefined, repeated: boolean): void {
    let deliveries = 0;
    this.#live.deliver(entry, (subscriber, copy, hasMore) => {
      if (repeated && subscriber.timeline !== this.#feed.timeline) return;
      deliveries++;
      subscriber.outlet.write(entry.frame(copy, hasMore, event));
    });
    this.#metrics.deliveries.inc(deliveries);
  }

  /** Ends the streams that rest on this credential, now or when it ends. */
  checkCredential(credentialId: string): void {
    for (const subscriber of this.#open)
      if (subscriber.credential?.id === credentialId) this.#limitToCredential(subscriber);
  }

  *[Symbol.iterator](): Iterator<Subscriber> {
    yield* this.#open;
  }

  async start(): Promise<void> {
    this.#pulse.start();
    this.#expiry = setInterval(() => {
      for (const subscriber of this.#expiring) this.#endIfExpired(subscriber);
    }, 1_000);
  }

  /** Sends everyone elsewhere, evenly over the time that is given for it. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const leaving = [...this.#open];
    const rounds = Math.max(1, Math.ceil(this.#settings.drainSpread / 100));
    for (let round = 1; round <= rounds && this.#open.size > 0; round++) {
      const count = Math.ceil(leaving.length / (rounds - round + 1));
      for (const subscriber of leaving.splice(0, count)) this.#end(subscriber, 'stopping');
      if (round < rounds) await pause(100);
    }
    for (let wait = 0; wait < 20 && this.#open.size > 0; wait++) await pause(50);
    for (const subscriber of this.#open) subscriber.outlet.cut();
    this.#pulse.stop();
    clearInterval(this.#expiry);
  }

  #limitToCredential(subscriber: Subscriber): void {
    if (!subscriber.credential) return;
    // Of two rotations the earlier may be forgotten by now, so an end that was known stays.
    subscriber.credentialEndsAt = Math.min(subscriber.credentialEndsAt, this.#endOf(subscriber.credential));
    if (subscriber.credentialEndsAt === Number.POSITIVE_INFINITY) return;
    this.#expiring.add(subscriber);
    this.#endIfExpired(subscriber);
  }

  #endIfExpired(subscriber: Subscriber): void {
    if (subscriber.credentialEndsAt > this.#clock.now()) return;
    this.#end(subscriber, subscriber.credential?.id.startsWith('session:') ? 'signed_out' : 'key_revoked');
  }

  #visit(subscribers: ReadonlySet<Subscriber>): void {
    const now = this.#clock.now();
    const withPlace = heartbeat(this.#feed.isSettled ? this.#feed.current : undefined);
    const plain = heartbeat(undefined);
    for (const subscriber of subscribers) {
      const { outlet } = subscriber;
      // It was ended a period ago and the other side still has not taken the end.
      if (!outlet.isOpen) outlet.cut();
      else if (outlet.stalledFor(now) >= this.#settings.maxStall) this.#cut(subscriber, 'stalled');
      else if (now >= subscriber.endsAt) this.#end(subscriber, 'lifetime');
      else outlet.write(subscriber.isLive ? withPlace : plain);
    }
  }

  #end(subscriber: Subscriber, reason: EndReason): void {
    if (!subscriber.isOpen) return;
    subscriber.endReason = reason;
    if (subscriber.isLive && this.#feed.isSettled) subscriber.outlet.write(heartbeat(this.#feed.current));
    subscriber.outlet.write(farewell(reason, jitter(this.#settings.retry)));
    subscriber.outlet.end();
  }

  /** For the log line of a stream. Never its topics: a reader of the log could subscribe to them. */
  #describe({ requestId, endReason, openedAt, credential, topics }: Subscriber): object {
    const ms = this.#clock.now() - openedAt;
    const access = credential ? 'credential' : 'anonymous';
    return { callId: requestId, reason: endReason, ms, access, topics: topics.length };
  }

  #cut(subscriber: Subscriber, reason: string): void {
    if (!subscriber.isOpen) return;
    subscriber.endReason = reason;
    subscriber.outlet.cut();
  }
}
