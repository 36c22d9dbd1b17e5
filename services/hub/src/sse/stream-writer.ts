import type { Socket } from 'node:net';
import { chunkContent, lastChunk } from '../events/encode.ts';

/** A subscriber that catches up gets no more events while more bytes than this wait for it. */
const fullBytes = 65_536;

/** Writes chunks to one connection, and detects a subscriber that does not accept them. */
export class StreamWriter {
  readonly #socket: Socket;
  readonly #isChunked: boolean;
  readonly #maxBufferedBytes: number;
  readonly #flushes: FlushQueue;
  #held: Buffer[] | undefined;
  #heldBytes = 0;
  #isInFlushQueue = false;
  #hasEnded = false;
  /** The bytes that the subscriber had accepted at the last check, and when that number last grew. */
  #acceptedBytes = 0;
  #progressAt = 0;
  /** Called when more bytes wait in this process than are allowed for a subscriber. */
  onOverflow: () => void = () => {};

  constructor(options: {
    socket: Socket;
    isChunked: boolean;
    maxBufferedBytes: number;
    flushes: FlushQueue;
  }) {
    this.#socket = options.socket;
    this.#isChunked = options.isChunked;
    this.#maxBufferedBytes = options.maxBufferedBytes;
    this.#flushes = options.flushes;
  }

  get isOpen(): boolean {
    return !this.#hasEnded && this.#socket.writable;
  }

  /** Whether a subscriber that catches up should get no more for now. So it is never disconnected for being far behind. */
  get isFull(): boolean {
    return this.#socket.writableLength + this.#heldBytes > fullBytes;
  }

  afterDrain(callback: () => void): void {
    this.flush();
    if (this.#socket.writableNeedDrain) this.#socket.once('drain', callback);
    else setImmediate(callback);
  }

  onClose(callback: () => void): void {
    this.#socket.once('close', callback);
  }

  /** Everything that is written in one turn of the event loop is sent together. */
  write(chunk: Buffer): void {
    if (!this.isOpen) return;
    this.#hold(chunk);
    if (this.#isInFlushQueue) return;
    this.#isInFlushQueue = true;
    this.#flushes.add(this);
  }

  flush(): void {
    this.#isInFlushQueue = false;
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    this.#heldBytes = 0;
    const socket = this.#socket;
    if (!socket.writable) return;
    const [first] = held;
    // Corking costs as much as a write, so a single chunk is written without it.
    if (held.length === 1 && first) socket.write(first);
    else {
      socket.cork();
      for (const bytes of held) socket.write(bytes);
      socket.uncork();
    }
    // Checked after the write, since bytes that the kernel accepts at once do not count: after a burst, fast subscribers stay.
    if (socket.writableLength > this.#maxBufferedBytes && this.isOpen) this.onOverflow();
  }

  /** Milliseconds since the subscriber last accepted pending bytes; 0 when none are pending. */
  stalledFor(now: number): number {
    const socket = this.#socket;
    const acceptedBytes = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0 || acceptedBytes !== this.#acceptedBytes || this.#progressAt === 0) {
      this.#acceptedBytes = acceptedBytes;
      this.#progressAt = now;
    }
    return now - this.#progressAt;
  }

  /** Ends the response: everything that was written is still sent. */
  end(): void {
    if (!this.isOpen) return;
    this.#hasEnded = true;
    if (this.#isChunked) this.#hold(lastChunk);
    this.flush();
    this.#socket.destroySoon();
  }

  /** Closes the connection at once. */
  disconnect(): void {
    this.#hasEnded = true;
    this.#socket.destroy();
  }

  #hold(chunk: Buffer): void {
    const bytes = this.#isChunked ? chunk : chunkContent(chunk);
    this.#heldBytes += bytes.length;
    if (this.#held) this.#held.push(bytes);
    else this.#held = [bytes];
  }
}

/**
 * Flushes writers once in a turn of the event loop, so that a burst of events costs each subscriber one system call.
 */
export class FlushQueue {
  #writers: StreamWriter[] = [];

  add(writer: StreamWriter): void {
    if (this.#writers.push(writer) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const writers = this.#writers;
    this.#writers = [];
    for (const writer of writers) writer.flush();
  }
}
