import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * A layer between a TCP socket and Node's HTTP server. Once the socket is detached, the server sees a closed connection and
 * frees the memory that it has for it, mainly a parser. The socket itself stays open for a stream.
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

  /** Returns the TCP socket without listeners; it may be paused. Undefined when the connection ends or has ended. */
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

  /** Called by Node's HTTP server after the last response of a connection. */
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

export const connectionOf = (request: IncomingMessage): DetachableSocket =>
  request.socket as unknown as DetachableSocket;

export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Without it, nginx buffers events.
  'x-accel-buffering': 'no',
};

/** The connection of a stream. */
export interface StreamConnection {
  readonly socket: Socket;
  readonly isChunked: boolean;
}

/**
 * Detaches the connection from Node's HTTP server and writes the head of the response. The server's objects for a request
 * take more memory than the stream itself, and would accept further requests on the connection. Requests that have already
 * been received are dropped. Undefined when the connection has ended.
 */
export function startStream(response: ServerResponse): StreamConnection | undefined {
  const { req: request } = response;
  const isChunked = request.httpVersion !== '1.0';
  const head = headOf(response, isChunked);
  const socket = connectionOf(request).detach();
  if (!socket) return undefined;
  // After an error the connection closes, and that ends the stream.
  socket.on('error', ignore);
  // A client sends nothing after the request for a stream. The socket is read to notice the connection's end.
  socket.on('data', destroy);
  socket.on('end', end);
  socket.resume();
  socket.write(head, 'latin1');
  return { socket, isChunked };
}

function ignore(): void {}

function destroy(this: Socket): void {
  this.destroy();
}

function end(this: Socket): void {
  this.end();
}

function headOf(response: ServerResponse, isChunked: boolean): string {
  const headers: Record<string, unknown> = {
    date: new Date().toUTCString(),
    ...response.getHeaders(),
    ...streamHeaders,
    // The end of the stream is the end of the connection.
    connection: 'close',
    ...(isChunked && { 'transfer-encoding': 'chunked' }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`;
}
