import type { EventHead } from '@expert-relay/contracts';
import { frame } from '../stream/frame.ts';
import { jsonOf } from './copies.ts';
import { formatPosition, type Position } from './position.ts';
import { readEvent } from './read-event.ts';

/**
 * One event of the stream, at its place. Its frames are made when the first subscriber needs them, so that an
 * event that nobody here listens to costs next to nothing.
 */
export class Entry implements Position {
  readonly epoch: string;
  readonly seq: number;
  readonly check: string;
  /** Where it is delivered, one copy for each topic. None for what only keeps its place. */
  readonly topics: readonly string[];
  readonly #bytes: Uint8Array;
  #frames: (Buffer | undefined)[] | undefined;
  #lastCopies: ReadonlyMap<string, number> | undefined;

  constructor(at: Position, bytes: Uint8Array, topics: readonly string[]) {
    this.epoch = at.epoch;
    this.seq = at.seq;
    this.check = at.check;
    this.topics = topics;
    this.#bytes = bytes;
  }

  /** What the entry takes in memory, roughly, once its frames are made. */
  get size(): number {
    return 200 + 300 * this.topics.length + 4 * this.#bytes.length;
  }

  /** Each topic once: an event about many requests has many copies for one provider. */
  get distinctTopics(): Iterable<string> {
    return this.topics.length > 2 ? this.#lastCopyByTopic.keys() : this.topics;
  }

  /** Whether who reads these topics gets another copy after this one. */
  hasMore(topics: readonly string[], copy: number): boolean {
    if (this.topics.length <= 2) return copy === 0 && topics.includes(this.topics[1] ?? '');
    return topics.some((topic) => (this.#lastCopyByTopic.get(topic) ?? -1) > copy);
  }

  /** The one Buffer that all subscribers of a topic get. `event` spares reading it again. */
  frame(copy: number, hasMore: boolean, event?: EventHead): Buffer {
    const place = 2 * copy + (hasMore ? 1 : 0);
    this.#frames ??= [];
    this.#frames[place] ??= frame(this.block(copy, hasMore, event));
    return this.#frames[place];
  }

  /** A copy as it stands in a stream. When more follow, its place says up to which copy this is: see `Position`. */
  block(copy: number, hasMore: boolean, event = this.read()): string {
    const { epoch, seq, check } = this;
    const id = formatPosition(hasMore ? { epoch, seq, check, copies: copy + 1 } : this);
    const json = event && jsonOf(event, copy);
    return `id: ${id}\n${json === undefined ? '' : `data: ${json}\n`}\n`;
  }

  read(): EventHead | undefined {
    return readEvent(this.#bytes);
  }

  get #lastCopyByTopic(): ReadonlyMap<string, number> {
    this.#lastCopies ??= new Map(this.topics.map((topic, copy) => [topic, copy]));
    return this.#lastCopies;
  }
}
