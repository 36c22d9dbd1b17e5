import type { Socket } from 'node:net';
import { frame, lastFrame, unframed } from './frame.ts';
import type { WriteBatch } from './write-batch.ts';

/** A reader that catches up is given no more while this much waits for it. */
const enoughWaiting = 65_536;
/** What is collected goes out once it is this much. */
const goodPiece = 16_384;

/** Writes ready-made frames to one connection, and notices when nobody reads them. */
export class Outlet {
  readonly #socket: Socket;
  readonly #isChunked: boolean;
  readonly #maxWaiting: number;
  readonly #batch: WriteBatch;
  #held: Buffer[] | undefined;
  #heldBytes = 0;
  #collected = '';
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
    return this.#socket.writableLength + this.#heldBytes + this.#collected.length > enoughWaiting;
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
    this.#holdCollected();
    this.#hold(bytes);
    if (this.#isDue) return;
    this.#isDue = true;
    this.#batch.add(this);
  }

  /**
   * Goes out when a good piece has come together, or when `flush` is called: for who catches up. Hardly anybody else
   * gets just these events, so they are put together as text, and become one Buffer in the end.
   */
  collect(block: string): void {
    if (!this.isOpen) return;
    this.#collected += block;
    if (this.#collected.length >= goodPiece) this.flush();
  }

  flush(): void {
    this.#isDue = false;
    this.#holdCollected();
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

  #holdCollected(): void {
    if (this.#collected === '') return;
    const bytes = frame(this.#collected);
    this.#collected = '';
    this.#hold(bytes);
  }

  #hold(bytes: Buffer): void {
    const piece = this.#isChunked ? bytes : unframed(bytes);
    this.#heldBytes += piece.length;
    if (this.#held) this.#held.push(piece);
    else this.#held = [piece];
  }
}
