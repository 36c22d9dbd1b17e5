import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import { heartbeatChunk, resetChunk, toChunk } from '../events/encode.ts';
import type { Entry } from '../events/entry.ts';
import type { Position, ResumeFrom } from '../events/position.ts';
import type { EventHistory } from '../history/event-history.ts';
import type { StreamSource } from '../nats/stream-source.ts';
import type { StreamMetrics } from '../sse/stream-metrics.ts';
import { noGeneration, type Subscriber, type SubscribersByTopic } from '../sse/subscriber.ts';
import { chunkBytes } from './block-buffer.ts';
import { ScanLanes } from './scan-lanes.ts';
import type { ScanLimit } from './scan-limit.ts';

/** Events that are read from the ring at a time. */
const batchSize = 100;
const retryMs = 500;

/** How a subscriber gets the events after its position. */
export type NextStep =
  | { readonly state: 'ahead' | 'replaying'; readonly from: Position }
  | { readonly state: 'scanning'; readonly from: ResumeFrom }
  /** They are not available: the subscriber gets `hub.reset` and becomes live. */
  | { readonly state: 'live' };

export function nextStep({ current, ring, tailLoss }: EventHistory, from: ResumeFrom): NextStep {
  const { floor } = ring;
  if (from === 'earliest')
    return floor.seq === 0 ? { state: 'replaying', from: floor } : { state: 'scanning', from };
  if (from.epoch !== current.epoch || !tailLoss.isReliable(from)) return { state: 'live' };
  if (from.seq > current.seq) return { state: 'ahead', from };
  // A subscriber that misses copies of the event at its position needs that event itself.
  if (ring.has(from) && (from.copies === undefined || ring.at(from.seq))) return { state: 'replaying', from };
  return from.seq <= floor.seq ? { state: 'scanning', from } : { state: 'live' };
}

/** Brings each subscriber from its position to `live`, without losing or repeating an event, or resets it. */
export class CatchUp implements Part {
  readonly name = 'catch-up';
  readonly #history: EventHistory;
  readonly #live: SubscribersByTopic;
  readonly #source: Pick<StreamSource, 'readState'>;
  readonly #scans: ScanLanes;
  readonly #metrics: Pick<StreamMetrics, 'begun'>;
  /** Subscribers in the state `pending`; undefined once the history has caught up with the stream. */
  #pending: Map<Subscriber, ResumeFrom | undefined> | undefined = new Map();
  /** Subscribers in the state `ahead`: another hub has sent them events that this one has not received yet. */
  readonly #ahead = new Map<Subscriber, Position>();

  constructor(options: {
    history: EventHistory;
    live: SubscribersByTopic;
    source: Pick<StreamSource, 'readState' | 'openConsumer'>;
    scanLimit: ScanLimit;
    metrics: Pick<StreamMetrics, 'begun'>;
    log: Log;
  }) {
    const { history, source, scanLimit: limit, log } = options;
    this.#history = history;
    this.#live = options.live;
    this.#source = source;
    this.#metrics = options.metrics;
    this.#scans = new ScanLanes({ source, history, limit, log, destination: this });
  }

  async stop(): Promise<void> {
    await this.#scans.stop();
  }

  /** Whether the history has ever caught up with the stream, so that streams begin at once. */
  get hasBegun(): boolean {
    return this.#pending === undefined;
  }

  /** Begins a new stream. Without a position it gets the events from now on. */
  begin(subscriber: Subscriber, from: ResumeFrom | undefined): void {
    if (!subscriber.isOpen) return;
    if (this.#pending) this.#pending.set(subscriber, from);
    else if (from !== undefined) this.resume(subscriber, from);
    else this.#goLive(subscriber, 'now');
  }

  /** The history has caught up with the stream: begins the pending streams. */
  beginPending(): void {
    const pending = this.#pending ?? [];
    this.#pending = undefined;
    for (const [subscriber, from] of pending) {
      if (from === undefined)
        subscriber.writer.write(heartbeatChunk(this.#history.tailLoss.positionForReaders));
      this.begin(subscriber, from);
    }
  }

  /** The subscriber has every event up to this position. */
  resume(subscriber: Subscriber, from: ResumeFrom): void {
    if (!subscriber.isOpen) return;
    const step = nextStep(this.#history, from);
    if (step.state === 'live') {
      this.reset(subscriber);
      return;
    }
    subscriber.enter(step.state);
    if (step.state === 'ahead') void this.#awaitEvent(subscriber, step.from);
    else if (step.state === 'replaying') this.#replay(subscriber, step.from);
    else this.#scans.add(subscriber, step.from);
  }

  /** Sends `hub.reset`, since events after the subscriber's position may be missing, and continues from now. */
  reset(subscriber: Subscriber): void {
    if (!subscriber.isOpen) return;
    subscriber.writer.write(resetChunk(this.#history.tailLoss.positionForReaders));
    // A live subscriber was counted when it became live.
    if (!subscriber.isLive) this.#goLive(subscriber, 'reset');
    // It reads the state after this, so an event that is repeated is no news.
    subscriber.generation = noGeneration;
  }

  /** The history has a new event, or has changed: serves the subscribers that are not ahead of it any more. */
  onHistoryChange(): void {
    if (this.#ahead.size === 0) return;
    const { current } = this.#history;
    for (const [subscriber, from] of [...this.#ahead]) {
      if (from.seq > current.seq && from.epoch === current.epoch) continue;
      this.#ahead.delete(subscriber);
      this.resume(subscriber, from);
    }
  }

  /** The stream no longer holds the events of the history: positions must be checked again. */
  onBreak(): void {
    this.#scans.interrupt();
    this.onHistoryChange();
  }

  leave(subscriber: Subscriber): void {
    this.#pending?.delete(subscriber);
    this.#ahead.delete(subscriber);
    this.#scans.leave(subscriber);
  }

  async #awaitEvent(subscriber: Subscriber, from: Position): Promise<void> {
    const state = await this.#source.readState().catch(() => undefined);
    if (!state) {
      // NATS cannot be reached, so the position cannot be checked yet.
      setTimeout(() => this.resume(subscriber, from), retryMs).unref();
    } else if (state.epoch !== from.epoch || state.lastSeq < from.seq) {
      this.reset(subscriber);
    } else if (subscriber.isOpen) {
      this.#ahead.set(subscriber, from);
      this.onHistoryChange();
    }
  }

  #replay(subscriber: Subscriber, from: Position): void {
    const { ring } = this.#history;
    const { writer, topics } = subscriber;
    let last = from;
    const partlySent = from.copies === undefined ? undefined : ring.at(from.seq);
    if (partlySent) {
      send(subscriber, partlySent.blocksFor(topics, from.copies));
      last = partlySent;
    }
    while (!writer.isFull) {
      const entries = ring.after(last.seq, topics, batchSize);
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
    subscriber.enter('live');
    subscriber.generation = this.#history.tailLoss.generation;
    this.#live.join(subscriber);
    this.#metrics.begun.inc({ how });
  }
}

/** The blocks of the first `count` events, about a chunk of them: an event may have hundreds of copies for a reader. */
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
