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

  constructor(at: Position, bytes: Uint8Array, topics: readonly string[]) {
    this.epoch = at.epoch;
    this.seq = at.seq;
    this.check = at.check;
    this.topics = topics;
    this.#bytes = bytes;
  }

  /** What the entry takes in memory, roughly, once its frames are made. */
  get size(): number {
    return 300 + 4 * this.#bytes.length;
  }

  /** The one Buffer that all subscribers of a topic get. `event` spares reading it again. */
  frame(copy: number, event?: EventHead): Buffer {
    this.#frames ??= [];
    this.#frames[copy] ??= frame(this.block(copy, event));
    return this.#frames[copy];
  }

  /** A copy as it stands in a stream. */
  block(copy: number, event?: EventHead): string {
    return this.#write(copy, formatPosition(this), event);
  }

  /** The first copy for those who get the second one too: see `Position.copies`. */
  firstOfTwo(event?: EventHead): string {
    const { epoch, seq, check } = this;
    return this.#write(0, formatPosition({ epoch, seq, check, copies: 1 }), event);
  }

  read(): EventHead | undefined {
    return readEvent(this.#bytes);
  }

  #write(copy: number, id: string, event = this.read()): string {
    const json = event && jsonOf(event, copy);
    return `id: ${id}\n${json === undefined ? '' : `data: ${json}\n`}\n`;
  }
}
