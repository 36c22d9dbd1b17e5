import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DetachableSocket } from './detachable-socket.ts';

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

export const connectionOf = (request: IncomingMessage): DetachableSocket =>
  request.socket as unknown as DetachableSocket;

/**
 * Detaches the connection from Node's HTTP server and writes the head of an answer without end. What Node keeps for a
 * request takes more memory than the stream itself, and would take further requests from the connection.
 * Requests that it was sent meanwhile are dropped. Undefined when the connection has ended.
 */
export function takeOver(response: ServerResponse): Taken | undefined {
  const { req: request } = response;
  const isChunked = request.httpVersion !== '1.0';
  const head = headOf(response, isChunked);
  const socket = connectionOf(request).detach();
  if (!socket) return undefined;
  // The end of the connection ends the stream, so an error needs no handling of its own.
  socket.on('error', ignore);
  // A client sends nothing after the request for a stream. Reading is how its end is noticed.
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
