import type { Entry } from '../events/entry.ts';
import { noCheck, type Position } from '../events/position.ts';

/**
 * The newest events of the NATS stream, without a gap, limited in number and memory. It is kept equal to that stream: an event
 * that NATS loses is removed here too.
 */
export class Ring {
  readonly #limits: { events: number; bytes: number };
  readonly #entries = new Queue<Entry>();
  /** The events of each topic, so that the cost of a resume depends on its own events only. */
  readonly #byTopic = new Map<string, Queue<Entry>>();
  #floor: Position = { epoch: '', sequence: 0, check: noCheck };
  #bytes = 0;
  /** When each of the events was recorded, in milliseconds since 1970. */
  readonly #times = new Queue<number>();
  #missingUntil = Number.POSITIVE_INFINITY;

  constructor(limits: { events: number; bytes: number }) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Every event after this position is here. */
  get floor(): Position {
    return this.#floor;
  }

  /** The position of the newest event. */
  get current(): Position {
    return this.#entries.last ?? this.#floor;
  }

  /** The entry with this sequence. The ring has no gaps, so its index is known. */
  at(sequence: number): Entry | undefined {
    return this.#entries.at(sequence - this.#floor.sequence - 1);
  }

  /** Whether the event at this position is here or is the floor, so that the events after it can be sent from memory. */
  has({ epoch, sequence, check }: Position): boolean {
    const known = sequence === this.#floor.sequence ? this.#floor : this.at(sequence);
    return known !== undefined && known.epoch === epoch && known.check === check;
  }

  /** Whether no event that was recorded at or after this time is missing: it is here, or is yet to be published. */
  hasAllSince(time: number): boolean {
    return time > this.#missingUntil;
  }

  /** Events that were recorded up to this time may be missing. */
  noteMissing(until: number): void {
    this.#missingUntil = Math.max(this.#missingUntil, until);
  }

  /** An event without a time may have been recorded at any time. */
  append(entry: Entry, recordedAt = Number.POSITIVE_INFINITY): void {
    this.#entries.push(entry);
    this.#times.push(recordedAt);
    this.#bytes += entry.size;
    for (const topic of entry.topics) {
      const queue = this.#byTopic.get(topic);
      if (queue) queue.push(entry);
      else this.#byTopic.set(topic, new Queue(entry));
    }
    while (this.length > this.#limits.events || (this.#bytes > this.#limits.bytes && this.length > 1))
      this.#removeOldest();
  }

  removeAfter(sequence: number): void {
    while (this.#entries.last && this.current.sequence > sequence) {
      this.#forget(this.#entries.pop(), (queue) => queue.pop());
      this.#times.pop();
    }
  }

  /** Empties the ring, which continues after this position. Events that were recorded up to `missingUntil` may be missing. */
  restart(floor: Position, missingUntil: number): void {
    this.#entries.clear();
    this.#times.clear();
    this.#byTopic.clear();
    this.#bytes = 0;
    this.#floor = floor;
    this.#missingUntil = missingUntil;
  }

  /** Up to `limit` events of these topics after a sequence, in order; an event of two topics once. */
  after(sequence: number, topics: readonly string[], limit: number): Entry[] {
    const found = topics.flatMap((topic) => {
      const queue = this.#byTopic.get(topic);
      return queue ? queue.slice(firstIndexAfter(queue, sequence), limit) : [];
    });
    if (topics.length === 1) return found;
    found.sort((one, other) => one.sequence - other.sequence);
    return found.filter((entry, index) => entry !== found[index - 1]).slice(0, limit);
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.#entries.slice(0)[Symbol.iterator]();
  }

  #removeOldest(): void {
    const oldest = this.#entries.shift();
    const recordedAt = this.#times.shift();
    if (!oldest || recordedAt === undefined) return;
    const { epoch, sequence, check, topics } = oldest;
    this.#forget(oldest, (queue) => queue.shift());
    this.#floor = { epoch, sequence, check };
    // No subscriber would get an event without topics.
    if (topics.length > 0) this.noteMissing(recordedAt);
  }

  #forget(entry: Entry | undefined, removeFrom: (queue: Queue<Entry>) => void): void {
    if (!entry) return;
    this.#bytes -= entry.size;
    for (const topic of entry.topics) {
      const queue = this.#byTopic.get(topic);
      if (!queue) continue;
      removeFrom(queue);
      if (queue.length === 0) this.#byTopic.delete(topic);
    }
  }
}

/** The index of the first event after a sequence, by binary search. */
function firstIndexAfter(queue: Queue<Entry>, sequence: number): number {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((queue.at(middle)?.sequence ?? 0) <= sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An array whose first item can be removed at the same cost as its last. */
class Queue<T> {
  #items: T[];
  /** How many of the first items have been removed. The array is copied only when they are more than half of it. */
  #removed = 0;

  constructor(...items: T[]) {
    this.#items = items;
  }

  get length(): number {
    return this.#items.length - this.#removed;
  }

  get last(): T | undefined {
    return this.at(this.length - 1);
  }

  at(index: number): T | undefined {
    return index < 0 ? undefined : this.#items[this.#removed + index];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  pop(): T | undefined {
    return this.length === 0 ? undefined : this.#items.pop();
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#removed];
    this.#removed++;
    if (this.#removed * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#removed);
      this.#removed = 0;
    }
    return item;
  }

  /** A copy of up to `limit` items, beginning at an index. */
  slice(index: number, limit = this.length): T[] {
    return this.#items.slice(this.#removed + index, this.#removed + index + limit);
  }

  clear(): void {
    this.#items = [];
    this.#removed = 0;
  }
}
