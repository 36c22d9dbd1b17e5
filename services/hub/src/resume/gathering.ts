import { frame } from '../stream/frame.ts';
import type { Outlet } from '../stream/outlet.ts';

/** When it is used up, everything goes out. A block is far smaller: NATS takes events of up to 1 MiB. */
const room = 8 * 2 ** 20;
/** What is gathered for one outlet goes out once it is about this much. */
export const goodPiece = 16_384;

/**
 * Blocks for many outlets, in the order in which they come, in one piece of memory. As texts or Buffers they would
 * live long enough to keep the garbage collector busy, and a write for each costs more than all else about an event.
 */
export class Gathering {
  #memory: Buffer | undefined;
  #used = 0;
  readonly #gathered = new Map<Outlet, Gathered>();

  add(outlet: Outlet, block: string): void {
    // A character takes three bytes at most.
    if (this.#used + 3 * block.length > room) this.flushAll();
    this.#memory ??= Buffer.allocUnsafeSlow(room);
    const start = this.#used;
    this.#used += this.#memory.write(block, start);
    let gathered = this.#gathered.get(outlet);
    if (!gathered) {
      gathered = { places: [], bytes: 0 };
      this.#gathered.set(outlet, gathered);
    }
    gathered.places.push(start, this.#used);
    gathered.bytes += this.#used - start;
    if (gathered.bytes >= goodPiece) this.flush(outlet);
  }

  flush(outlet: Outlet): void {
    const { places = [], bytes = 0 } = this.#gathered.get(outlet) ?? {};
    this.#gathered.delete(outlet);
    if (bytes === 0 || !this.#memory) return;
    const piece = Buffer.allocUnsafe(bytes);
    for (let at = 0, filled = 0; at < places.length; at += 2)
      filled += this.#memory.copy(piece, filled, places[at], places[at + 1]);
    outlet.write(frame(piece));
    outlet.flush();
  }

  flushAll(): void {
    for (const outlet of this.#gathered.keys()) this.flush(outlet);
    this.#used = 0;
  }
}

interface Gathered {
  /** Where its blocks begin and end, in turn. */
  readonly places: number[];
  bytes: number;
}
