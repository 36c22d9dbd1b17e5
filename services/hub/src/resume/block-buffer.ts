import { toChunk } from '../events/encode.ts';
import type { StreamWriter } from '../sse/stream-writer.ts';

/** When the buffer is full, everything in it is sent. One block always fits: NATS accepts events of up to 1 MiB. */
const capacityBytes = 8 * 2 ** 20;
/** The blocks of one subscriber are sent together once they have about this many bytes. */
export const chunkBytes = 16_384;

/**
 * Collects the blocks for the subscribers of a scan in one piece of memory, and sends those of each together, in order.
 * A write for each block would be the largest cost of an event. As strings or Buffers, the blocks would exist long enough
 * to make garbage collection expensive.
 */
export class BlockBuffer {
  #memory: Buffer | undefined;
  #usedBytes = 0;
  readonly #byWriter = new Map<StreamWriter, CollectedBlocks>();

  add(writer: StreamWriter, block: string): void {
    // A character needs three bytes at most.
    if (this.#usedBytes + 3 * block.length > capacityBytes) this.flushAll();
    this.#memory ??= Buffer.allocUnsafeSlow(capacityBytes);
    const start = this.#usedBytes;
    this.#usedBytes += this.#memory.write(block, start);
    let collected = this.#byWriter.get(writer);
    if (!collected) {
      collected = { ranges: [], bytes: 0 };
      this.#byWriter.set(writer, collected);
    }
    collected.ranges.push(start, this.#usedBytes);
    collected.bytes += this.#usedBytes - start;
    if (collected.bytes >= chunkBytes) this.flush(writer);
  }

  flush(writer: StreamWriter): void {
    const { ranges = [], bytes = 0 } = this.#byWriter.get(writer) ?? {};
    this.#byWriter.delete(writer);
    if (bytes === 0 || !this.#memory) return;
    const blocks = Buffer.allocUnsafe(bytes);
    for (let index = 0, filled = 0; index < ranges.length; index += 2)
      filled += this.#memory.copy(blocks, filled, ranges[index], ranges[index + 1]);
    writer.write(toChunk(blocks));
    writer.flush();
  }

  flushAll(): void {
    for (const writer of this.#byWriter.keys()) this.flush(writer);
    this.#usedBytes = 0;
  }
}

interface CollectedBlocks {
  /** The start and the end of each block, in turn. */
  readonly ranges: number[];
  bytes: number;
}
