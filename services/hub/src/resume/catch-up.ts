import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import { heartbeatChunk, resetChunk, toChunk } from '../events/encode.ts';
import type { Entry } from '../events/entry.ts';
import {
  isStartTime,
  type Position,
  type ResumeFrom,
  type StartFrom,
  unknownPosition,
} from '../events/position.ts';
import type { EventHistory } from '../history/event-history.ts';
import type { NatsStream } from '../nats/nats-stream.ts';
import type { StreamMetrics } from '../sse/stream-metrics.ts';
import type { Subscriber, SubscribersByTopic } from '../sse/subscriber.ts';
import { chunkBytes } from './block-buffer.ts';
import { ScanLanes } from './scan-lanes.ts';
import type { ScanLimit } from './scan-limit.ts';

/** Events that are read from the ring at a time. */
const batchSize = 100;
const retryMs = 500;
const resetSpreadMs = 10_000;

/** How a subscriber gets the events after its position. */
export type NextStep =
  /** This hub does not know the event at its position. Another hub may have received that event, or noticed a new NATS stream. */
  | { readonly action: 'wait'; readonly from: Position }
  /** The events are in the ring. */
  | { readonly action: 'replay'; readonly from: Position }
  /** The events are older than the ring: they are read from NATS. */
  | { readonly action: 'scan'; readonly from: ResumeFrom }
  /** The events are not available, or not known: the subscriber gets `hub.reset` and becomes live. */
  | { readonly action: 'reset' };

export function nextStep(history: EventHistory, from: StartFrom): NextStep {
  const { current, ring } = history;
  const { floor } = ring;
  if (from === 'earliest')
    return floor.sequence === 0 ? { action: 'replay', from: floor } : { action: 'scan', from };
  // Never a scan: it costs more than the call for the list that a reset causes.
  if (isStartTime(from))
    return history.hasAllSince(from.since) ? { action: 'replay', from: floor } : { action: 'reset' };
  if (from === unknownPosition) return { action: 'reset' };
  if (from.epoch !== current.epoch) return { action: 'wait', from };
  if (from.sequence > current.sequence) return { action: 'wait', from };
  // A subscriber that misses copies of the event at its position needs that event itself.
  if (ring.has(from) && (from.copiesSent === undefined || ring.at(from.sequence)))
    return { action: 'replay', from };
  // In the ring, its sequence belongs to another event: the one that the subscriber has was lost.
  return from.sequence <= floor.sequence ? { action: 'scan', from } : { action: 'reset' };
}

/**
 * Brings each subscriber from its position to `live`, without losing or repeating an event, or resets it. The step to
 * `live` leaves no gap: the last events from the ring are written and the subscriber joins the live ones in one turn
 * of the event loop, and each new event is added to the ring and sent to the live ones in one turn too.
 */
export class CatchUp implements Part {
  readonly name = 'catch-up';
  readonly #history: EventHistory;
  readonly #live: SubscribersByTopic;
  readonly #natsStream: Pick<NatsStream, 'readState'>;
  readonly #scans: ScanLanes;
  readonly #metrics: Pick<StreamMetrics, 'started'>;
  /** Subscribers in the state `pending`. */
  readonly #pending = new Map<Subscriber, StartFrom | undefined>();
  /** Subscribers in the state `ahead`. */
  readonly #ahead = new Map<Subscriber, Position>();

  constructor(options: {
    history: EventHistory;
    live: SubscribersByTopic;
    natsStream: Pick<NatsStream, 'readState' | 'openConsumer'>;
    scanLimit: ScanLimit;
    metrics: Pick<StreamMetrics, 'started'>;
    log: Log;
  }) {
    const { history, natsStream, scanLimit: limit, log } = options;
    this.#history = history;
    this.#live = options.live;
    this.#natsStream = natsStream;
    this.#metrics = options.metrics;
    this.#scans = new ScanLanes({ natsStream, history, limit, log, destination: this });
  }

  async stop(): Promise<void> {
    await this.#scans.stop();
  }

  /** Adds a new subscriber. Without a position it gets the events from now on. */
  add(subscriber: Subscriber, from: StartFrom | undefined): void {
    if (!subscriber.isOpen) return;
    if (!this.#history.hasCaughtUp) this.#pending.set(subscriber, from);
    else if (from !== undefined) this.resume(subscriber, from);
    else this.#goLive(subscriber, 'now');
  }

  /** The history has caught up with the NATS stream: starts the pending subscribers. */
  startPending(): void {
    for (const [subscriber, from] of this.#pending) {
      if (from === undefined) subscriber.writer.write(heartbeatChunk(this.#history.current));
      this.add(subscriber, from);
    }
    this.#pending.clear();
  }

  /** Takes the next step of a subscriber that has every event up to this position. */
  resume(subscriber: Subscriber, from: StartFrom): void {
    if (!subscriber.isOpen) return;
    const step = nextStep(this.#history, from);
    switch (step.action) {
      case 'wait':
        subscriber.enter('ahead');
        void this.#lookForEvent(subscriber, step.from);
        break;
      case 'replay':
        subscriber.enter('replaying');
        this.#replay(subscriber, step.from);
        if (isStartTime(from)) this.#sendPosition(subscriber);
        break;
      case 'scan':
        subscriber.enter('scanning');
        this.#scans.add(subscriber, step.from);
        break;
      case 'reset':
        this.reset(subscriber);
    }
  }

  /** Sends `hub.reset`, since events after the subscriber's position may be missing, and continues from now. */
  reset(subscriber: Subscriber): void {
    if (!subscriber.isOpen) return;
    subscriber.writer.write(resetChunk(this.#history.current));
    this.#goLive(subscriber, 'reset');
  }

  /**
   * Resets a live subscriber that misses events, at some time in the next ten seconds: the clients of all streams would read the
   * state at once. Until then it gets no event, so that its position stays before those that it misses.
   */
  resetSoon(subscriber: Subscriber): void {
    this.#live.leave(subscriber);
    subscriber.enter('missing');
    setTimeout(() => this.reset(subscriber), Math.random() * resetSpreadMs).unref();
  }

  /** Takes the next step of the subscribers that waited for a new event. */
  onEvent(): void {
    if (this.#ahead.size === 0) return;
    for (const [subscriber, from] of [...this.#ahead])
      if (from.sequence <= this.#history.current.sequence) this.#resumeAhead(subscriber, from);
  }

  /** The NATS stream no longer continues the history: all positions must be checked again. */
  onBreak(): void {
    this.#scans.interrupt();
    for (const [subscriber, from] of [...this.#ahead]) this.#resumeAhead(subscriber, from);
  }

  leave(subscriber: Subscriber): void {
    this.#pending.delete(subscriber);
    this.#ahead.delete(subscriber);
    this.#scans.leave(subscriber);
  }

  /**
   * A subscriber that began with a start position may have got no event, and then has no position to resume from. While it
   * is not live, the events that filled its buffer have positions.
   */
  #sendPosition(subscriber: Subscriber): void {
    if (!subscriber.isLive) return;
    subscriber.writer.write(heartbeatChunk(this.#history.current));
  }

  /** Asks NATS whether its stream has the event at a position that this hub does not know. */
  async #lookForEvent(subscriber: Subscriber, from: Position): Promise<void> {
    const state = await this.#natsStream.readState().catch(() => undefined);
    const { epoch } = this.#history.current;
    if (!state || state.epoch !== epoch) {
      // NATS cannot be reached, or the follower has yet to notice that its stream was created again. A reset now would be
      // followed by another one.
      setTimeout(() => this.resume(subscriber, from), retryMs).unref();
    } else if (from.epoch !== epoch || from.sequence > state.lastSeq) {
      this.reset(subscriber);
    } else if (subscriber.isOpen) {
      this.#ahead.set(subscriber, from);
      this.onEvent();
    }
  }

  #resumeAhead(subscriber: Subscriber, from: Position): void {
    this.#ahead.delete(subscriber);
    this.resume(subscriber, from);
  }

  #replay(subscriber: Subscriber, from: Position): void {
    const { ring } = this.#history;
    const { writer, topics } = subscriber;
    let last = from;
    const partlySent = from.copiesSent === undefined ? undefined : ring.at(from.sequence);
    if (partlySent) {
      send(subscriber, partlySent.blocksFor(topics, from.copiesSent));
      last = partlySent;
    }
    while (!writer.isFull) {
      const entries = ring.after(last.sequence, topics, batchSize);
      const { blocks, count } = firstBlocks(entries, topics);
      send(subscriber, blocks);
      last = entries[count - 1] ?? last;
      const isComplete = entries.length < batchSize && count === entries.length;
      if (isComplete && !writer.isFull) {
        this.#goLive(subscriber, 'resumed');
        return;
      }
    }
    writer.afterDrain(() => this.resume(subscriber, last));
  }

  #goLive(subscriber: Subscriber, how: 'now' | 'resumed' | 'reset'): void {
    // A subscriber that was live before was counted then.
    if (subscriber.state !== 'missing') this.#metrics.started.inc({ how });
    subscriber.enter('live');
    this.#live.join(subscriber);
  }
}

/** The blocks of the first `count` events, about a chunk of them: the question of an event has up to 2,000 characters. */
function firstBlocks(
  entries: readonly Entry[],
  topics: readonly string[],
): { blocks: string; count: number } {
  let [blocks, count] = ['', 0];
  for (const entry of entries) {
    if (blocks.length >= chunkBytes) break;
    blocks += entry.blocksFor(topics);
    count++;
  }
  return { blocks, count };
}

/** An empty chunk is never sent: it would end the stream. */
function send({ writer }: Subscriber, blocks: string): void {
  if (blocks !== '') writer.write(toChunk(blocks));
}
