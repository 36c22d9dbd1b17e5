import { randomUUID } from 'node:crypto';
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { formatProblem, Problem } from '../problem/index.ts';

interface Connection {
  /** The response under way, or the last one. */
  response: ServerResponse;
  /** Pipelined requests that arrived before it was finished. */
  waiting: [IncomingMessage, ServerResponse][];
  isPausing: boolean;
}

/**
 * Hands requests to the handler and keeps a hostile or broken connection from harming the process:
 *
 * - Requests of one connection are handled one after the other, and none after a response that closes the connection.
 *   Node would start them all at once, and fails an assertion when their responses finish out of order on a broken socket.
 * - A socket always has an `error` listener. Node removes its own before it emits `connect` and `upgrade`.
 * - What never becomes a request (CONNECT, a malformed or slow head) is answered with a problem.
 */
export function guardConnections(
  server: Server,
  handler: RequestListener,
  /** For refusals that are written without the handler. */
  headers: Readonly<Record<string, string>> = {},
): void {
  const connections = new WeakMap<Duplex, Connection>();

  function answer(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.response = response;
    response.once('close', () => answerNext(connection, request.socket));
    handler(request, response);
  }

  function answerNext(connection: Connection, socket: IncomingMessage['socket']): void {
    if (!socket.writable) {
      connection.waiting = [];
      return;
    }
    const next = connection.waiting.shift();
    if (!next) return;
    if (connection.waiting.length === 0) socket.resume();
    answer(connection, ...next);
  }

  /**
   * Reading goes on when all that waits has been handled: what a client may pipeline is bounded by one read. Node resumes
   * a socket after each request that it parses, so it is paused after the last one.
   */
  function pauseAfterRead(connection: Connection, socket: IncomingMessage['socket']): void {
    if (connection.isPausing) return;
    connection.isPausing = true;
    setImmediate(() => {
      connection.isPausing = false;
      if (connection.waiting.length > 0) socket.pause();
    });
  }

  server.on('request', (request, response) => {
    const { socket } = request;
    // Node goes on parsing what it has read before the connection broke.
    if (!socket.writable) return;
    const connection = connections.get(socket) ?? { response, waiting: [], isPausing: false };
    connections.set(socket, connection);
    if (connection.response === response || isDone(connection)) {
      answer(connection, request, response);
      return;
    }
    connection.waiting.push([request, response]);
    pauseAfterRead(connection, socket);
  });
  // Node would answer these by itself. The handler decides when it wants the body.
  for (const event of ['checkContinue', 'checkExpectation'] as const) {
    server.on(event, (request, response) => server.emit('request', request, response));
  }

  server.on('connection', (socket) => socket.on('error', ignore));
  server.on('connect', (_request, socket) => {
    refuse(socket, new Problem('method_not_allowed', { headers: { allow: '' } }), headers);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = connections.get(socket)?.response;
    // A refusal must not stand in the middle of another answer.
    const isFree = !response || response.closed || (response.socket === socket && !response.headersSent);
    if (isFree && error.code !== 'ECONNRESET') refuse(socket, problemOf(error), headers);
    else close(socket);
  });
}

/** Whether nothing is under way. A response whose socket was taken away, for a stream, blocks nothing. */
const isDone = ({ response, waiting }: Connection): boolean => !response.socket && waiting.length === 0;

function ignore(): void {}

function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout');
  return new Problem('invalid_request', { detail: 'This is not a well-formed HTTP/1.1 request.' });
}

function refuse(socket: Duplex, problem: Problem, headers: Readonly<Record<string, string>>): void {
  const { status, headers: own, body } = formatProblem(problem);
  const all = { ...headers, 'x-request-id': randomUUID(), ...own, connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  if (socket.writable) {
    socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  }
  close(socket);
}

/** Gives what was written a second to arrive. */
function close(socket: Duplex): void {
  socket.end();
  setTimeout(() => socket.destroy(), 1_000).unref();
}
