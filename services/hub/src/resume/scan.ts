import type { EventHead } from '@expert-relay/contracts';
import { createEntry, type Entry } from '../events/entry.ts';
import { noCheck, type Position, type ResumeFrom } from '../events/position.ts';
import type { EventHistory } from '../history/event-history.ts';
import type { StoredStreamState } from '../nats/nats-stream.ts';
import type { Consumer, StoredMessage } from '../nats/ordered-consumer.ts';
import { type Subscriber, SubscribersByTopic } from '../sse/subscriber.ts';
import { BlockBuffer } from './block-buffer.ts';

/** A subscriber that needs older events than the ring has, and where it resumes. */
export interface ScanRequest {
  readonly subscriber: Subscriber;
  readonly from: ResumeFrom;
}

/** Takes the subscribers that leave a scan. `CatchUp` implements it. */
export interface ScanDestination {
  /** Takes the next step of a subscriber that has every event up to this position. */
  resume(subscriber: Subscriber, from: ResumeFrom): void;
  /** The events after the subscriber's position are not available. */
  reset(subscriber: Subscriber): void;
}

/** Events are collected for at most this time before they are sent. */
const flushIntervalMs = 500;

/** One pass over the NATS stream, from the oldest position that is requested up to where the ring begins. */
export class Scan {
  readonly #history: EventHistory;
  readonly #destination: ScanDestination;
  /** Subscribers whose positions the scan has not reached yet; the nearest is the last. */
  #upcoming: { subscriber: Subscriber; from: Position }[] = [];
  /** Subscribers that get its events. They have every event up to `#current`. */
  readonly #active = new Set<Subscriber>();
  readonly #activeByTopic = new SubscribersByTopic();
  readonly #blocks = new BlockBuffer();
  /** The position before the first event, then that of the newest event that was read. */
  #current: Position;
  #consumer: Consumer | undefined;
  #flushTimer: NodeJS.Timeout | undefined;
  #endReason: string | undefined;
  /** How many events it has read. */
  events = 0;

  constructor(options: { history: EventHistory; destination: ScanDestination; stream: StoredStreamState }) {
    const { epoch, firstSeq } = options.stream;
    this.#history = options.history;
    this.#destination = options.destination;
    this.#current = { epoch, sequence: firstSeq - 1, check: noCheck };
  }

  /** Takes the first subscribers. Returns the sequence to read from; undefined if no subscriber needs the scan. */
  prepare(requests: readonly ScanRequest[]): number | undefined {
    const { floor } = this.#history.ring;
    const { epoch, sequence } = this.#current;
    for (const { subscriber, from } of requests) {
      // A subscriber that misses copies of the event at its position needs that event itself.
      const isAtStart =
        from === 'earliest' ||
        (from.epoch === epoch && from.sequence === sequence && from.copiesSent === undefined);
      if (isAtStart && sequence >= floor.sequence) this.#destination.resume(subscriber, floor);
      else if (isAtStart) this.#activate(subscriber);
      else if (from.epoch === epoch && from.sequence > sequence) this.#upcoming.push({ subscriber, from });
      else this.#destination.reset(subscriber);
    }
    this.#upcoming.sort((one, other) => other.from.sequence - one.from.sequence);
    if (this.#active.size > 0) return sequence + 1;
    const start = this.#upcoming.at(-1)?.from.sequence;
    if (start !== undefined) this.#current = { epoch, sequence: start - 1, check: noCheck };
    return start;
  }

  /** Takes one more subscriber; false if the scan has passed its position. */
  join({ subscriber, from }: ScanRequest): boolean {
    const { epoch, sequence } = this.#current;
    if (this.#hasEnded || from === 'earliest' || from.epoch !== epoch || from.sequence <= sequence)
      return false;
    const index = this.#upcoming.findIndex((other) => other.from.sequence <= from.sequence);
    this.#upcoming.splice(index < 0 ? this.#upcoming.length : index, 0, { subscriber, from });
    return true;
  }

  leave(subscriber: Subscriber): void {
    if (!this.#active.delete(subscriber)) return;
    this.#activeByTopic.leave(subscriber);
    this.#blocks.flush(subscriber.writer);
  }

  /** Resolves with the reason when it has ended. */
  async read(consumer: Consumer): Promise<string> {
    this.#consumer = consumer;
    let left = consumer.pending;
    // It may have been ended while the consumer was opened.
    if (this.#endReason !== undefined) consumer.end(this.#endReason);
    else if (left === 0) this.end('the stream is empty');
    else {
      this.#flushTimer = setInterval(() => this.#blocks.flushAll(), flushIntervalMs);
      consumer.start((message) => {
        this.#receive(message);
        if (--left === 0) this.end('read to the end');
      });
    }
    const reason = await consumer.ended;
    this.end(reason);
    return reason;
  }

  end(reason: string): void {
    if (this.#hasEnded) return;
    this.#endReason = reason;
    this.#consumer?.end(reason);
    clearInterval(this.#flushTimer);
    this.#blocks.flushAll();
    for (const subscriber of this.#active) this.#destination.resume(subscriber, this.#current);
    for (const { subscriber, from } of this.#upcoming) this.#destination.resume(subscriber, from);
  }

  get #hasEnded(): boolean {
    return this.#endReason !== undefined;
  }

  #receive({ sequence, bytes }: StoredMessage): void {
    this.events++;
    const { epoch, sequence: last } = this.#current;
    if (sequence !== last + 1) this.#resetActive();

    const { entry, event } = createEntry(bytes, { epoch, sequence });
    this.#current = entry;
    this.#send(entry, event);
    this.#activateUpcoming(entry);

    // At the floor of the ring, the ring continues the scan only if the floor's event is known and equals this one.
    const { ring } = this.#history;
    if (sequence > ring.floor.sequence || ring.has(entry)) this.end('reached the events in memory');
    else if (this.#active.size === 0 && this.#upcoming.length === 0) this.end('no subscriber is left');
  }

  #send(entry: Entry, event: EventHead | undefined): void {
    let full: Set<Subscriber> | undefined;
    let block: string | undefined;
    let blockKey = '';
    this.#activeByTopic.forEach(entry, (subscriber, copy, hasMore) => {
      const key = `${copy} ${hasMore}`;
      if (block === undefined || blockKey !== key) block = entry.block(copy, hasMore, event);
      blockKey = key;
      this.#blocks.add(subscriber.writer, block);
      if (!subscriber.writer.isFull) return;
      full ??= new Set();
      full.add(subscriber);
    });
    // A slow subscriber leaves, so that the others do not wait for it, and resumes when its buffer is empty.
    for (const subscriber of full ?? []) {
      this.leave(subscriber);
      subscriber.writer.afterDrain(() => this.#destination.resume(subscriber, entry));
    }
  }

  #activateUpcoming(entry: Entry): void {
    for (
      let next = this.#upcoming.at(-1);
      next && next.from.sequence <= entry.sequence;
      next = this.#upcoming.at(-1)
    ) {
      this.#upcoming.pop();
      const { subscriber, from } = next;
      if (!subscriber.isOpen) continue;
      if (from.sequence !== entry.sequence || from.check !== entry.check) {
        this.#destination.reset(subscriber);
        continue;
      }
      if (from.copiesSent !== undefined)
        this.#blocks.add(subscriber.writer, entry.blocksFor(subscriber.topics, from.copiesSent));
      this.#activate(subscriber);
    }
  }

  #activate(subscriber: Subscriber): void {
    this.#active.add(subscriber);
    this.#activeByTopic.join(subscriber);
  }

  /** The NATS stream dropped events before they were read. */
  #resetActive(): void {
    for (const subscriber of [...this.#active]) {
      this.leave(subscriber);
      this.#destination.reset(subscriber);
    }
  }
}
