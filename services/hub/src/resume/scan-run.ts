import type { EventHead } from '@expert-relay/contracts';
import type { Entry } from '../feed/entry.ts';
import type { Feed } from '../feed/feed.ts';
import { noCheck, type Position } from '../feed/position.ts';
import { SeenSequences } from '../feed/seen-sequences.ts';
import { takeIn } from '../feed/take-in.ts';
import type { Consumer, StreamMessage } from '../follow/open-consumer.ts';
import type { StreamState } from '../follow/stream-source.ts';
import { Audience } from '../stream/audience.ts';
import type { Subscriber } from '../stream/subscriber.ts';
import { copiesFor } from './copies-for.ts';
import { Gathering } from './gathering.ts';
import type { Destination, From, Resumption } from './resumption.ts';

/** Subscribers get their events together, at least this often. */
const flushEvery = 500;

/** One pass over the stream, from the oldest position that is asked for up to where the ring begins. */
export class ScanRun {
  readonly #feed: Feed;
  readonly #destination: Destination;
  #epoch = '';
  readonly #seen = new SeenSequences(100_000);
  /** Subscribers whose positions are still ahead; the nearest last. */
  #upcoming: { subscriber: Subscriber; from: Position }[] = [];
  /** Subscribers that get its events, with where each began. */
  readonly #members = new Map<Subscriber, From>();
  readonly #audience = new Audience();
  readonly #gathering = new Gathering();
  #at: Position | undefined;
  #consumer: Consumer | undefined;
  #flushing: NodeJS.Timeout | undefined;
  #isOver = false;
  events = 0;

  constructor(options: { feed: Feed; destination: Destination }) {
    this.#feed = options.feed;
    this.#destination = options.destination;
  }

  /** Takes in the first subscribers, and says which sequence to begin at; undefined if none of them is left. */
  begin(resumptions: readonly Resumption[], { epoch, firstSeq }: StreamState): number | undefined {
    this.#epoch = epoch;
    const { floor } = this.#feed.ring;
    for (const { subscriber, from } of resumptions) {
      // A subscriber that misses a copy of the event at its position needs that event itself.
      const isAtStart =
        from === 'earliest' ||
        (from.epoch === epoch && from.seq + 1 === firstSeq && from.copies === undefined);
      if (isAtStart && firstSeq > floor.seq) this.#destination.resume(subscriber, floor);
      else if (isAtStart) this.#include(subscriber, from);
      else if (from.epoch === epoch && from.seq >= firstSeq) this.#upcoming.push({ subscriber, from });
      else this.#destination.reset(subscriber);
    }
    this.#upcoming.sort((one, other) => other.from.seq - one.from.seq);
    if (this.#members.size === 0) return this.#upcoming.at(-1)?.from.seq;
    this.#at = { epoch, seq: firstSeq - 1, check: noCheck };
    return firstSeq;
  }

  /** Takes in one more subscriber; false if the scan has passed its position. */
  join({ subscriber, from }: Resumption): boolean {
    if (this.#isOver || from === 'earliest' || from.epoch !== this.#epoch) return false;
    if (from.seq <= (this.#at?.seq ?? Number.MAX_SAFE_INTEGER)) return false;
    const index = this.#upcoming.findIndex((other) => other.from.seq <= from.seq);
    this.#upcoming.splice(index < 0 ? this.#upcoming.length : index, 0, { subscriber, from });
    return true;
  }

  leave(subscriber: Subscriber): void {
    if (!this.#members.delete(subscriber)) return;
    this.#audience.leave(subscriber);
    this.#gathering.flush(subscriber.outlet);
  }

  /** Resolves with why it ended, when all its subscribers have left it. */
  async read(consumer: Consumer): Promise<string> {
    this.#consumer = consumer;
    this.#flushing = setInterval(() => this.#gathering.flushAll(), flushEvery);
    let left = consumer.pending;
    if (left === 0) this.end('the stream is empty');
    consumer.begin((message) => {
      if (this.#isOver) return;
      this.#take(message);
      if (--left === 0) this.end('read to the end');
    });
    const reason = await consumer.ended;
    this.end(reason);
    return reason;
  }

  end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#consumer?.end(reason);
    clearInterval(this.#flushing);
    this.#gathering.flushAll();
    for (const [subscriber, from] of this.#members) this.#destination.resume(subscriber, this.#at ?? from);
    for (const { subscriber, from } of this.#upcoming) this.#destination.resume(subscriber, from);
  }

  #take({ seq, bytes }: StreamMessage): void {
    this.events++;
    if (this.#at && seq !== this.#at.seq + 1) this.#resetAll();

    const { entry, event } = takeIn(this.#seen, { epoch: this.#epoch, seq }, bytes);
    this.#at = entry;
    this.#deliver(entry, event);
    this.#includeUpcoming(entry);

    const { ring } = this.#feed;
    if (seq > ring.floor.seq || ring.has(entry)) this.end('level with what is in memory');
    else if (this.#members.size === 0 && this.#upcoming.length === 0) this.end('no subscriber is left');
  }

  #deliver(entry: Entry, event: EventHead | undefined): void {
    let full: Set<Subscriber> | undefined;
    let block: string | undefined;
    let blockOf = '';
    this.#audience.deliver(entry, (subscriber, copy, hasMore) => {
      const wanted = `${copy} ${hasMore}`;
      if (block === undefined || blockOf !== wanted) block = entry.block(copy, hasMore, event);
      blockOf = wanted;
      this.#gathering.add(subscriber.outlet, block);
      if (!subscriber.outlet.isFull) return;
      full ??= new Set();
      full.add(subscriber);
    });
    // A slow reader leaves, so that the others do not wait for it, and comes back when its buffer is empty.
    for (const subscriber of full ?? []) {
      this.leave(subscriber);
      subscriber.outlet.afterDrain(() => this.#destination.resume(subscriber, entry));
    }
  }

  #includeUpcoming(entry: Entry): void {
    for (let next = this.#upcoming.at(-1); next && next.from.seq <= entry.seq; next = this.#upcoming.at(-1)) {
      this.#upcoming.pop();
      const { subscriber, from } = next;
      if (!subscriber.isOpen) continue;
      if (from.seq !== entry.seq || from.check !== entry.check) {
        this.#destination.reset(subscriber);
        continue;
      }
      if (from.copies !== undefined)
        this.#gathering.add(subscriber.outlet, copiesFor(subscriber, entry, from.copies));
      this.#include(subscriber, from);
    }
  }

  #include(subscriber: Subscriber, from: From): void {
    this.#members.set(subscriber, from);
    this.#audience.join(subscriber);
  }

  #resetAll(): void {
    for (const subscriber of [...this.#members.keys()]) {
      this.leave(subscriber);
      this.#destination.reset(subscriber);
    }
  }
}
