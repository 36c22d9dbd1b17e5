import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // nginx would collect events otherwise.
  'x-accel-buffering': 'no',
};

/** A connection that carries a stream now. */
export interface Taken {
  readonly socket: Socket;
  readonly isChunked: boolean;
}

export interface TakeOver {
  /** Undefined when the connection is not there for it. */
  (response: ServerResponse): Taken | undefined;
  /** Whether a connection carries a stream already: whatever else comes in on it is out of order. */
  hasTaken(socket: Socket): boolean;
}

/**
 * Takes a connection out of Node's hands once its call is read, and writes the head of an answer without end. What
 * Node keeps for a call that is under way takes more memory than the stream itself.
 */
export function createTakeOver(): TakeOver {
  const sockets = new WeakSet<Socket>();

  function takeOver(response: ServerResponse): Taken | undefined {
    const { req: request, socket } = response;
    if (!socket) {
      // A call that was sent before the one ahead of it was answered, whose answer never ends.
      request.socket.destroy();
      return undefined;
    }
    const isChunked = request.httpVersion !== '1.0';
    const head = headOf(response, isChunked);
    sockets.add(socket);
    response.detachSocket(socket);
    request.rawHeaders.length = 0;
    request.headers = {};
    request.url = '';
    socket.write(head, 'latin1');
    return { socket, isChunked };
  }

  return Object.assign(takeOver, { hasTaken: (socket: Socket) => sockets.has(socket) });
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
