import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@expert-relay/kit/clock';
import type { LineLevel } from '@expert-relay/kit/http';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Tracing } from '@expert-relay/kit/tracing';
import { type Credential, idsOf } from '../authorise/stream-token.ts';
import { endChunk, heartbeatChunk, jitter, type StreamEndReason } from '../events/encode.ts';
import type { EventHistory, ReceivedEvent } from '../history/event-history.ts';
import { HeartbeatTimer } from './heartbeat-timer.ts';
import type { StreamCaps } from './stream-caps.ts';
import type { StreamMetrics } from './stream-metrics.ts';
import type { Subscriber, SubscribersByTopic } from './subscriber.ts';

interface StreamsOptions {
  readonly history: EventHistory;
  readonly live: SubscribersByTopic;
  readonly caps: StreamCaps;
  /** Milliseconds. */
  readonly settings: {
    readonly heartbeat: number;
    readonly retry: number;
    readonly maxStall: number;
    readonly drainSpread: number;
  };
  readonly clock: Clock;
  readonly metrics: StreamMetrics;
  readonly tracing: Tracing;
  readonly log: Log;
  readonly lineLevel: LineLevel;
  /** When a credential ends, in milliseconds; infinite as long as no end is known. */
  readonly endOfCredential: (credential: Credential) => number;
  readonly onClosed: (subscriber: Subscriber) => void;
}

/** All open streams: sends live events and heartbeats to them, and ends them. */
export class Streams implements Part {
  readonly name = 'streams';
  readonly #options: StreamsOptions;
  readonly #heartbeats: HeartbeatTimer<Subscriber>;
  readonly #open = new Set<Subscriber>();
  /** Streams whose credential has a known end. They are checked more often than once in a heartbeat. */
  readonly #expiring = new Set<Subscriber>();
  #expiryTimer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#heartbeats = new HeartbeatTimer({
      periodMs: options.settings.heartbeat,
      slots: 50,
      visit: (subscribers) => this.#visit(subscribers),
    });
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  *[Symbol.iterator](): Iterator<Subscriber> {
    yield* this.#open;
  }

  add(subscriber: Subscriber): void {
    this.#open.add(subscriber);
    this.#options.caps.add(subscriber);
    this.#heartbeats.add(subscriber);
    subscriber.writer.onOverflow = () => {
      // A subscriber that catches up gets only as much as it accepts.
      if (subscriber.isLive) this.#disconnect(subscriber, 'slow');
    };
    subscriber.writer.onClose(() => this.#remove(subscriber));
    this.#limitToCredential(subscriber);
  }

  send({ entry, event }: ReceivedEvent): void {
    const { live, metrics, tracing } = this.#options;
    const parent = tracing.isOn ? event?.traceparent : '';
    const span = parent && tracing.startSpan({ name: `deliver ${event?.type}`, kind: 'consumer', parent });
    let sent = 0;
    live.forEach(entry, (subscriber, copy, hasMore) => {
      sent++;
      subscriber.writer.write(entry.chunk(copy, hasMore, event));
    });
    metrics.sent.inc(sent);
    // An event without subscribers here has no span here.
    if (span && sent > 0) span.end({ attributes: { 'relay.streams': sent } });
  }

  /** Ends the streams that a revocation with this id ends, now or when their credential ends. */
  checkCredential(revokedId: string): void {
    for (const subscriber of this.#open) {
      const { credential } = subscriber;
      if (credential && idsOf(credential).includes(revokedId)) this.#limitToCredential(subscriber);
    }
  }

  async start(): Promise<void> {
    this.#heartbeats.start();
    this.#expiryTimer = setInterval(() => {
      for (const subscriber of this.#expiring) this.#endIfExpired(subscriber);
    }, 1_000);
  }

  /** Ends all streams, spread evenly over the time in the settings: the clients reconnect to other hubs. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const remaining = [...this.#open];
    const rounds = Math.max(1, Math.ceil(this.#options.settings.drainSpread / 100));
    for (let round = 1; round <= rounds && this.#open.size > 0; round++) {
      const count = Math.ceil(remaining.length / (rounds - round + 1));
      for (const subscriber of remaining.splice(0, count)) this.#end(subscriber, 'stopping');
      if (round < rounds) await pause(100);
    }
    for (let wait = 0; wait < 20 && this.#open.size > 0; wait++) await pause(50);
    for (const subscriber of this.#open) subscriber.writer.disconnect();
    this.#heartbeats.stop();
    clearInterval(this.#expiryTimer);
  }

  #visit(subscribers: ReadonlySet<Subscriber>): void {
    const { history, clock, settings } = this.#options;
    const now = clock.now();
    const withPosition = heartbeatChunk(history.current);
    const withoutPosition = heartbeatChunk(undefined);
    for (const subscriber of subscribers) {
      const { writer } = subscriber;
      // Its end was sent a period ago, and its client has not accepted it.
      if (!writer.isOpen) writer.disconnect();
      else if (writer.stalledFor(now) >= settings.maxStall) this.#disconnect(subscriber, 'stalled');
      else if (now >= subscriber.endsAt) this.#end(subscriber, 'lifetime');
      else writer.write(subscriber.isLive ? withPosition : withoutPosition);
    }
  }

  #limitToCredential(subscriber: Subscriber): void {
    const { credential, credentialEndsAt } = subscriber;
    if (!credential) return;
    // The earlier of two rotations may be forgotten by now, so the end that it set is kept here.
    subscriber.credentialEndsAt = Math.min(credentialEndsAt, this.#options.endOfCredential(credential));
    if (subscriber.credentialEndsAt === Number.POSITIVE_INFINITY) return;
    this.#expiring.add(subscriber);
    this.#endIfExpired(subscriber);
  }

  #endIfExpired(subscriber: Subscriber): void {
    if (subscriber.credentialEndsAt > this.#options.clock.now()) return;
    this.#end(subscriber, subscriber.credential?.kind === 'session' ? 'signed_out' : 'key_revoked');
  }

  #end(subscriber: Subscriber, reason: StreamEndReason): void {
    if (!subscriber.isOpen) return;
    const { history, live, settings } = this.#options;
    const { writer } = subscriber;
    subscriber.endReason = reason;
    if (subscriber.isLive) {
      live.leave(subscriber);
      writer.write(heartbeatChunk(history.current));
    }
    subscriber.enter('ending');
    writer.write(endChunk(reason, jitter(settings.retry)));
    writer.end();
  }

  #disconnect(subscriber: Subscriber, reason: 'slow' | 'stalled'): void {
    if (!subscriber.isOpen) return;
    subscriber.endReason = reason;
    subscriber.writer.disconnect();
  }

  #remove(subscriber: Subscriber): void {
    const { live, caps, metrics, log, lineLevel, onClosed } = this.#options;
    this.#open.delete(subscriber);
    caps.remove(subscriber);
    this.#heartbeats.remove(subscriber);
    this.#expiring.delete(subscriber);
    if (subscriber.isLive) live.leave(subscriber);
    subscriber.enter('closed');
    metrics.ended.inc({ reason: subscriber.endReason });
    const { credential, network } = subscriber;
    // Without a credential, a client may open streams again and again.
    log[credential ? 'info' : lineLevel(network)](this.#describe(subscriber), 'stream');
    onClosed(subscriber);
  }

  /** The members of a stream's log line. Topics are never logged, since a person who reads the log could subscribe to them. */
  #describe({ callId, endReason, openedAt, credential, topics }: Subscriber): object {
    const ms = this.#options.clock.now() - openedAt;
    const access = credential ? 'credential' : 'anonymous';
    return { callId, reason: endReason, ms, access, topics: topics.length };
  }
}
