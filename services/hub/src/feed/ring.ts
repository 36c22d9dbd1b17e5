import type { Entry } from './entry.ts';
import { noCheck, type Position } from './position.ts';
import { Queue } from './queue.ts';

/**
 * The newest events of the stream, without a gap, bounded in number and memory. It mirrors what the stream
 * holds: what the stream loses is taken back here too.
 */
export class Ring {
  readonly #limits: { events: number; bytes: number };
  readonly #entries = new Queue<Entry>();
  /** For each topic its events, so that who resumes pays for its own events only. */
  readonly #byTopic = new Map<string, Queue<Entry>>();
  /** Every event after this place is here. */
  #floor: Position = { epoch: '', seq: 0, check: noCheck };
  #bytes = 0;

  constructor(limits: { events: number; bytes: number }) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#entries.length;
  }

  get floor(): Position {
    return this.#floor;
  }

  /** Where the newest event stands. */
  get current(): Position {
    return this.#entries.last ?? this.#floor;
  }

  /** The entry with this sequence. Sequences have no gaps here, so it is found by counting. */
  at(seq: number): Entry | undefined {
    return this.#entries.at(seq - this.#floor.seq - 1);
  }

  /** Whether this very place is known here, so that what follows it can be served from memory. */
  has({ epoch, seq, check }: Position): boolean {
    const known = seq === this.#floor.seq ? this.#floor : this.at(seq);
    return known !== undefined && known.epoch === epoch && known.check === check;
  }

  append(entry: Entry): void {
    this.#entries.push(entry);
    this.#bytes += entry.size;
    for (const topic of entry.distinctTopics) {
      const queue = this.#byTopic.get(topic);
      if (queue) queue.push(entry);
      else this.#byTopic.set(topic, new Queue(entry));
    }
    while (this.length > this.#limits.events || (this.#bytes > this.#limits.bytes && this.length > 1))
      this.#evict();
  }

  /** Takes back everything after a sequence. */
  cutAfter(seq: number): void {
    while (this.#entries.last && this.current.seq > seq)
      this.#forget(this.#entries.pop(), (queue) => queue.pop());
  }

  /** Empties the ring, which begins anew after this place. */
  restart(floor: Position): void {
    this.#entries.clear();
    this.#byTopic.clear();
    this.#bytes = 0;
    this.#floor = floor;
  }

  /** Up to `limit` events of these topics after a sequence, in order; an event of two topics once. */
  after(seq: number, topics: readonly string[], limit: number): Entry[] {
    const found = topics.flatMap((topic) => {
      const queue = this.#byTopic.get(topic);
      return queue ? queue.slice(firstAfter(queue, seq), limit) : [];
    });
    if (topics.length === 1) return found;
    found.sort((one, other) => one.seq - other.seq);
    return found.filter((entry, index) => entry !== found[index - 1]).slice(0, limit);
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.#entries.slice(0)[Symbol.iterator]();
  }

  #evict(): void {
    const { epoch, seq, check } = this.#entries.first ?? this.#floor;
    this.#forget(this.#entries.shift(), (queue) => queue.shift());
    this.#floor = { epoch, seq, check };
  }

  #forget(entry: Entry | undefined, take: (queue: Queue<Entry>) => void): void {
    if (!entry) return;
    this.#bytes -= entry.size;
    for (const topic of entry.distinctTopics) {
      const queue = this.#byTopic.get(topic);
      if (!queue) continue;
      take(queue);
      if (queue.length === 0) this.#byTopic.delete(topic);
    }
  }
}

/** The index of the first entry beyond a sequence, by halving. */
function firstAfter(queue: Queue<Entry>, seq: number): number {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((queue.at(middle)?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
