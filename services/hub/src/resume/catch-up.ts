import type { Entry } from '../feed/entry.ts';
import type { Feed } from '../feed/feed.ts';
import type { Position } from '../feed/position.ts';
import type { StreamSource } from '../follow/stream-source.ts';
import type { Audience } from '../stream/audience.ts';
import { heartbeat, reset } from '../stream/blocks.ts';
import { frame } from '../stream/frame.ts';
import type { StreamMetrics } from '../stream/stream-metrics.ts';
import type { Subscriber } from '../stream/subscriber.ts';
import { copiesFor } from './copies-for.ts';
import { goodPiece } from './gathering.ts';
import type { From } from './resumption.ts';

const batch = 100;

/** Brings subscribers from their positions to the live audience, without losing or repeating an event, or resets them. */
export class CatchUp {
  readonly #feed: Feed;
  readonly #live: Audience;
  readonly #source: Pick<StreamSource, 'look'>;
  readonly #scans: { add(subscriber: Subscriber, from: From): void };
  readonly #metrics: Pick<StreamMetrics, 'begun'>;
  /** Subscribers whose positions are beyond this hub's newest event: another hub was quicker. */
  #ahead: { subscriber: Subscriber; from: Position }[] = [];
  /** Serves the subscribers that came before the feed was level with the stream; undefined since it is. */
  #early: (() => void)[] | undefined = [];

  constructor(options: {
    feed: Feed;
    live: Audience;
    source: Pick<StreamSource, 'look'>;
    scans: { add(subscriber: Subscriber, from: From): void };
    metrics: Pick<StreamMetrics, 'begun'>;
  }) {
    this.#feed = options.feed;
    this.#live = options.live;
    this.#source = options.source;
    this.#scans = options.scans;
    this.#metrics = options.metrics;
  }

  /** Gets events from now on. */
  begin(subscriber: Subscriber): void {
    if (!subscriber.isOpen) return;
    if (this.#early) {
      this.#early.push(() => {
        subscriber.outlet.write(heartbeat(this.#feed.place));
        this.begin(subscriber);
      });
      return;
    }
    this.#metrics.begun.inc({ how: 'now' });
    this.#join(subscriber);
  }

  resume(subscriber: Subscriber, from: From): void {
    const { current, ring } = this.#feed;
    if (!subscriber.isOpen) return;
    if (this.#early) this.#early.push(() => this.resume(subscriber, from));
    else if (from === 'earliest') this.#resumeEarliest(subscriber);
    else if (from.epoch !== current.epoch || !this.#feed.isSure(from)) this.reset(subscriber);
    else if (from.seq > current.seq) void this.#awaitEvent(subscriber, from);
    else if (this.#isInRing(from)) this.#replay(subscriber, from);
    else if (from.seq <= ring.floor.seq) this.#scans.add(subscriber, from);
    else this.reset(subscriber);
  }

  /** The feed is level with the stream: serves the subscribers that came before. */
  open(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const serve of early) serve();
  }

  /** The feed has moved or changed: serves the subscribers that are not ahead of it any more. */
  reconsider(): void {
    if (this.#ahead.length === 0) return;
    const { current } = this.#feed;
    const due = this.#ahead.filter(({ from }) => from.seq <= current.seq || from.epoch !== current.epoch);
    this.#ahead = this.#ahead.filter((one) => !due.includes(one) && one.subscriber.isOpen);
    for (const { subscriber, from } of due) this.resume(subscriber, from);
  }

  #resumeEarliest(subscriber: Subscriber): void {
    const { floor } = this.#feed.ring;
    if (floor.seq === 0) this.#replay(subscriber, floor);
    else this.#scans.add(subscriber, 'earliest');
  }

  #isInRing(from: Position): boolean {
    const { ring } = this.#feed;
    // A subscriber that misses a copy of the event at its position needs that event itself.
    return ring.has(from) && (from.copies === undefined || ring.at(from.seq) !== undefined);
  }

  async #awaitEvent(subscriber: Subscriber, from: Position): Promise<void> {
    const state = await this.#source.look().catch(() => undefined);
    if (!state) {
      // NATS cannot be reached, so the position cannot be checked yet.
      setTimeout(() => this.resume(subscriber, from), 500).unref();
    } else if (state.epoch !== from.epoch || state.lastSeq < from.seq) {
      this.reset(subscriber);
    } else {
      this.#ahead.push({ subscriber, from });
      this.reconsider();
    }
  }

  #replay(subscriber: Subscriber, from: Position): void {
    const { ring } = this.#feed;
    let last = from;
    const halfSent = from.copies === undefined ? undefined : ring.at(from.seq);
    if (halfSent) {
      send(subscriber, copiesFor(subscriber, halfSent, from.copies));
      last = halfSent;
    }
    while (!subscriber.outlet.isFull) {
      const entries = ring.after(last.seq, subscriber.topics, batch);
      const { blocks, count } = firstPiece(subscriber, entries);
      send(subscriber, blocks);
      last = entries[count - 1] ?? last;
      if (entries.length < batch && count === entries.length && !subscriber.outlet.isFull) {
        this.#metrics.begun.inc({ how: 'resumed' });
        this.#join(subscriber);
        return;
      }
    }
    subscriber.outlet.afterDrain(() => this.resume(subscriber, last));
  }

  /** Sends `hub.reset`, since events after the subscriber's position may be missing, and goes on from now. */
  reset(subscriber: Subscriber): void {
    if (!subscriber.isOpen) return;
    subscriber.outlet.write(reset(this.#feed.place));
    // A live subscriber was counted when it began.
    if (!subscriber.isLive) this.#metrics.begun.inc({ how: 'reset' });
    this.#join(subscriber);
    // Which events it has had is not known, and it was asked to read the state anew.
    subscriber.timeline = -1;
  }

  #join(subscriber: Subscriber): void {
    subscriber.isLive = true;
    subscriber.timeline = this.#feed.timeline;
    this.#live.join(subscriber);
  }
}

/** A subscriber's copies of the first events, and of how many: each may have hundreds for it. */
function firstPiece(subscriber: Subscriber, entries: readonly Entry[]): { blocks: string; count: number } {
  let [blocks, count] = ['', 0];
  for (const entry of entries) {
    if (blocks.length >= goodPiece) break;
    blocks += copiesFor(subscriber, entry);
    count++;
  }
  return { blocks, count };
}

/** Sends no empty frame: it would end the stream. */
function send({ outlet }: Subscriber, blocks: string): void {
  if (blocks !== '') outlet.write(frame(blocks));
}
