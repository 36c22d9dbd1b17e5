import type { Socket } from 'node:net';
import { lastFrame, unframed } from './frame.ts';
import type { WriteBatch } from './write-batch.ts';

/** A reader that catches up is given no more while this much waits for it. */
const enoughWaiting = 65_536;

/** Writes ready-made frames to one connection, and notices when nobody reads them. */
export class Outlet {
  readonly #socket: Socket;
  readonly #isChunked: boolean;
  readonly #maxWaiting: number;
  readonly #batch: WriteBatch;
  #held: Buffer[] | undefined;
  #heldBytes = 0;
  /** Whether the batch will flush it. */
  #isDue = false;
  #ended = false;
  /** What the peer's side had taken when we last looked, and when that last grew. */
  #taken = 0;
  #progressAt = 0;
  /** Called when more waits in this process than a reader may leave there. */
  onOverflow: () => void = () => {};

  constructor(options: { socket: Socket; isChunked: boolean; maxWaiting: number; batch: WriteBatch }) {
    this.#socket = options.socket;
    this.#isChunked = options.isChunked;
    this.#maxWaiting = options.maxWaiting;
    this.#batch = options.batch;
  }

  get isOpen(): boolean {
    return !this.#ended && this.#socket.writable;
  }

  /** Whether a reader that catches up should be given no more for now: it is never cut for being far behind. */
  get isFull(): boolean {
    return this.#socket.writableLength + this.#heldBytes > enoughWaiting;
  }

  afterDrain(callback: () => void): void {
    this.flush();
    if (this.#socket.writableNeedDrain) this.#socket.once('drain', callback);
    else setImmediate(callback);
  }

  onClose(callback: () => void): void {
    this.#socket.once('close', callback);
  }

  /** Goes out with whatever else is written in this turn of the event loop. */
  write(bytes: Buffer): void {
    if (!this.isOpen) return;
    this.#hold(bytes);
    if (this.#isDue) return;
    this.#isDue = true;
    this.#batch.add(this);
  }

  flush(): void {
    this.#isDue = false;
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    this.#heldBytes = 0;
    const socket = this.#socket;
    if (!socket.writable) return;
    const [first] = held;
    // Corking costs as much as a write, so it is for several only.
    if (held.length === 1 && first) socket.write(first);
    else {
      socket.cork();
      for (const bytes of held) socket.write(bytes);
      socket.uncork();
    }
    // Only now it shows what the kernel does not take: a burst alone is nobody's fault.
    if (socket.writableLength > this.#maxWaiting && this.isOpen) this.onOverflow();
  }

  /** How long nothing of what waits has been taken. */
  stalledFor(now: number): number {
    const socket = this.#socket;
    const taken = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0 || taken !== this.#taken || this.#progressAt === 0) {
      this.#taken = taken;
      this.#progressAt = now;
    }
    return now - this.#progressAt;
  }

  /** An orderly end: what was written still goes out. */
  end(): void {
    if (!this.isOpen) return;
    this.#ended = true;
    if (this.#isChunked) this.#hold(lastFrame);
    this.flush();
    this.#socket.destroySoon();
  }

  cut(): void {
    this.#ended = true;
    this.#socket.destroy();
  }

  #hold(bytes: Buffer): void {
    const piece = this.#isChunked ? bytes : unframed(bytes);
    this.#heldBytes += piece.length;
    if (this.#held) this.#held.push(piece);
    else this.#held = [piece];
  }
}
