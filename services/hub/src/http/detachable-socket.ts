import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * Stands between a TCP socket and Node's HTTP server. Once detached, the server sees a closed connection and releases
 * all that it keeps for it, its parser above all, while the socket itself stays open for a stream.
 */
export class DetachableSocket extends Duplex {
  readonly remoteAddress: string | undefined;
  /** Undefined once detached. */
  #socket: Socket | undefined;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress;
    socket.on('data', (bytes) => {
      if (!this.push(bytes)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Zero until a client sends something; a stopping server closes such connections. */
  get bytesRead(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  get isDetached(): boolean {
    return this.#socket === undefined;
  }

  /** The TCP socket without any listener, paused or not; undefined when the connection ends or has ended. */
  detach(): Socket | undefined {
    const socket = this.#socket;
    if (!socket || !this.writable || !socket.writable) return undefined;
    this.#socket = undefined;
    // All of them are from the constructor, or from Node for sockets that cannot be half open.
    socket.removeAllListeners();
    socket.setTimeout(0);
    this.destroy();
    return socket;
  }

  /** Called by Node's HTTP server for its timeouts. */
  setTimeout(milliseconds: number): this {
    this.#socket?.setTimeout(milliseconds);
    return this;
  }

  /** Called by Node's HTTP server after the last answer of a connection. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    this.#socket?.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#socket) this.#socket.write(bytes, done);
    else done();
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#socket) this.#socket.end(done);
    else done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket?.destroy();
    done(error);
  }
}
