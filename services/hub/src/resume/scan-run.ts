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
import type { Destination, From, Rider } from './rider.ts';

/** Riders get their events together, this often at least. */
const flushEvery = 500;

/** One pass over the stream, from the oldest place that is asked for up to where the ring begins. */
export class ScanRun {
  readonly #feed: Feed;
  readonly #destination: Destination;
  #epoch = '';
  readonly #seen = new SeenSequences(100_000);
  /** Who gets on when the scan comes by its place; the nearest last. */
  #boarding: { subscriber: Subscriber; from: Position }[] = [];
  /** Who is on, with where it began. */
  readonly #riders = new Map<Subscriber, From>();
  readonly #aboard = new Audience();
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

  /** Takes in those who begin the scan, and says which sequence it must begin at; undefined if none is left. */
  admit(riders: readonly Rider[], { epoch, firstSeq }: StreamState): number | undefined {
    this.#epoch = epoch;
    const { floor } = this.#feed.ring;
    for (const { subscriber, from } of riders) {
      // Who still misses a copy of that very event needs the event itself.
      const isAtStart =
        from === 'earliest' ||
        (from.epoch === epoch && from.seq + 1 === firstSeq && from.copies === undefined);
      if (isAtStart && firstSeq > floor.seq) this.#destination.resume(subscriber, floor);
      else if (isAtStart) this.#getOn(subscriber, from);
      else if (from.epoch === epoch && from.seq >= firstSeq) this.#boarding.push({ subscriber, from });
      else this.#destination.reset(subscriber);
    }
    this.#boarding.sort((one, other) => other.from.seq - one.from.seq);
    if (this.#riders.size === 0) return this.#boarding.at(-1)?.from.seq;
    this.#at = { epoch, seq: firstSeq - 1, check: noCheck };
    return firstSeq;
  }

  /** Whether the scan that is under way still comes by. */
  board({ subscriber, from }: Rider): boolean {
    if (this.#isOver || from === 'earliest' || from.epoch !== this.#epoch) return false;
    if (from.seq <= (this.#at?.seq ?? Number.MAX_SAFE_INTEGER)) return false;
    const index = this.#boarding.findIndex((other) => other.from.seq <= from.seq);
    this.#boarding.splice(index < 0 ? this.#boarding.length : index, 0, { subscriber, from });
    return true;
  }

  leave(subscriber: Subscriber): void {
    if (!this.#riders.delete(subscriber)) return;
    this.#aboard.leave(subscriber);
    this.#gathering.flush(subscriber.outlet);
  }

  /** Resolves with why it ended; whoever is left has been sent on by then. */
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
    for (const [subscriber, from] of this.#riders) this.#destination.resume(subscriber, this.#at ?? from);
    for (const { subscriber, from } of this.#boarding) this.#destination.resume(subscriber, from);
  }

  #take({ seq, bytes }: StreamMessage): void {
    this.events++;
    if (this.#at && seq !== this.#at.seq + 1) this.#resetAll();

    const { entry, event } = takeIn(this.#seen, { epoch: this.#epoch, seq }, bytes);
    this.#at = entry;
    this.#deliver(entry, event);
    this.#letOn(entry);

    const { ring } = this.#feed;
    if (seq > ring.floor.seq || ring.has(entry)) this.end('level with what is in memory');
    else if (this.#riders.size === 0 && this.#boarding.length === 0) this.end('nobody is left');
  }

  #deliver(entry: Entry, event: EventHead | undefined): void {
    let full: Set<Subscriber> | undefined;
    let block: string | undefined;
    let blockOf = '';
    this.#aboard.deliver(entry, (subscriber, copy, hasMore) => {
      const wanted = `${copy} ${hasMore}`;
      if (block === undefined || blockOf !== wanted) block = entry.block(copy, hasMore, event);
      blockOf = wanted;
      this.#gathering.add(subscriber.outlet, block);
      if (!subscriber.outlet.isFull) return;
      full ??= new Set();
      full.add(subscriber);
    });
    // A slow reader gets off, so that it holds up nobody, and comes back once it has taken what waits.
    for (const subscriber of full ?? []) {
      this.leave(subscriber);
      subscriber.outlet.afterDrain(() => this.#destination.resume(subscriber, entry));
    }
  }

  #letOn(entry: Entry): void {
    for (let next = this.#boarding.at(-1); next && next.from.seq <= entry.seq; next = this.#boarding.at(-1)) {
      this.#boarding.pop();
      const { subscriber, from } = next;
      if (!subscriber.isOpen) continue;
      if (from.seq !== entry.seq || from.check !== entry.check) {
        this.#destination.reset(subscriber);
        continue;
      }
      if (from.copies !== undefined)
        this.#gathering.add(subscriber.outlet, copiesFor(subscriber, entry, from.copies));
      this.#getOn(subscriber, from);
    }
  }

  #getOn(subscriber: Subscriber, from: From): void {
    this.#riders.set(subscriber, from);
    this.#aboard.join(subscriber);
  }

  #resetAll(): void {
    for (const subscriber of [...this.#riders.keys()]) {
      this.leave(subscriber);
      this.#destination.reset(subscriber);
    }
  }
}
