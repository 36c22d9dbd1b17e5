import type { EventHead } from '@expert-relay/contracts';
import { eventBlock, toChunk } from './encode.ts';
import { jsonOf, parseEvent, topicsOf } from './event-content.ts';
import { checkOf, type Position } from './position.ts';

/**
 * One event of the NATS stream. Only this class makes the bytes that subscribers get. It makes them when the first of them
 * needs them, so an event without subscribers is never turned into JSON.
 */
export class Entry implements Position {
  readonly epoch: string;
  readonly sequence: number;
  readonly check: string;
  /** The topics that it is sent to, one copy for each. Empty when no subscriber gets it. */
  readonly topics: readonly string[];
  readonly #bytes: Uint8Array;
  #chunks: (Buffer | undefined)[] | undefined;

  constructor(position: Position, bytes: Uint8Array, topics: readonly string[]) {
    this.epoch = position.epoch;
    this.sequence = position.sequence;
    this.check = position.check;
    this.topics = topics;
    this.#bytes = bytes;
  }

  /** Approximate bytes of memory, once its chunks are made. */
  get size(): number {
    return 200 + 300 * this.topics.length + 4 * this.#bytes.length;
  }

  parse(): EventHead | undefined {
    return parseEvent(this.#bytes);
  }

  /** Whether a subscriber of these topics gets another copy after this one. `copy` is an index of `topics`. */
  hasMore(topics: readonly string[], copy: number): boolean {
    return copy === 0 && topics.includes(this.topics[1] ?? '');
  }

  /**
   * One Buffer for all subscribers that get this copy, and another one for those that get more copies after it. If the caller has the
   * parsed event, it is not parsed again.
   */
  chunk(copy: number, hasMore: boolean, event?: EventHead): Buffer {
    const index = 2 * copy + (hasMore ? 1 : 0);
    this.#chunks ??= [];
    this.#chunks[index] ??= toChunk(this.block(copy, hasMore, event));
    return this.#chunks[index];
  }

  block(copy: number, hasMore: boolean, event = this.parse()): string {
    const { epoch, sequence, check } = this;
    const position: Position = hasMore ? { epoch, sequence, check, copiesSent: 1 } : this;
    return eventBlock(position, event && jsonOf(event, copy));
  }

  /** The copies for a subscriber of these topics after the first `copiesSent` of all copies; empty if there are none. */
  blocksFor(topics: readonly string[], copiesSent = 0): string {
    const copies = [...this.topics.keys()].filter(
      (copy) => copy >= copiesSent && topics.includes(this.topics[copy] as string),
    );
    if (copies.length === 0) return '';
    const event = this.parse();
    return copies.map((copy) => this.block(copy, copy !== copies.at(-1), event)).join('');
  }
}

/** Creates an entry from its bytes in NATS. */
export function createEntry(
  bytes: Uint8Array,
  { epoch, sequence }: Pick<Position, 'epoch' | 'sequence'>,
): { entry: Entry; event: EventHead | undefined } {
  const event = parseEvent(bytes);
  const position = { epoch, sequence, check: checkOf(event?.eventId ?? '') };
  return { entry: new Entry(position, bytes, event ? topicsOf(event) : []), event };
}
