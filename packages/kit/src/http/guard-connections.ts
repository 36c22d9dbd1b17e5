import { randomUUID } from 'node:crypto';
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Counter, type Metrics } from '../metrics/index.ts';
import { formatProblem, Problem } from '../problem/index.ts';
import { createProxyCheck, networkOf, plainAddress } from './client-address.ts';

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
 * - CONNECT and malformed or slow heads, for which Node emits no request, are answered with a problem.
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
  // Without these listeners Node answers before the handler runs. The handler decides when it reads the body.
  for (const event of ['checkContinue', 'checkExpectation'] as const) {
    server.on(event, (request, response) => server.emit('request', request, response));
  }

  server.on('connection', (socket) => socket.on('error', ignore));
  server.on('connect', (_request, socket) => {
    refuse(socket, new Problem('method_not_allowed', { headers: { allow: '' } }), headers);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = connections.get(socket)?.response;
    // A refusal must not be written into the middle of another answer.
    const isFree = !response || response.closed || (response.socket === socket && !response.headersSent);
    if (isFree && error.code !== 'ECONNRESET') refuse(socket, problemOf(error), headers);
    else close(socket);
  });
}

/** Whether no response is open. One whose socket was detached for a stream does not block the connection. */
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

/** Waits up to a second until the peer has received what was written. */
function close(socket: Duplex): void {
  socket.end();
  setTimeout(() => socket.destroy(), 1_000).unref();
}

/** HTTP/1.1 requires exactly one Host header. Node keeps the first of several and reports nothing. */
export function checkHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) {
    throw new Problem('invalid_request', { detail: 'Send one Host header.' });
  }
}

export interface ConnectionLimit {
  /** Open connections of one client address (IPv6: of one /64), at most; 0 = no limit. */
  readonly perAddress: number;
  /** Open connections of all addresses, at most; no limit when not set. */
  readonly total?: number;
  /** Addresses or CIDRs without a limit: a proxy connects on behalf of many clients. */
  readonly trustedProxies: readonly string[];
  readonly metrics: Metrics;
}

/** Closes a new connection at once when its address has too many open, before a byte of it is read. */
export function limitConnections(server: Server, options: ConnectionLimit): void {
  const { perAddress, total, trustedProxies, metrics } = options;
  const refused = new Counter({
    name: 'relay_http_connections_refused_total',
    help: 'Connections that were closed at once because too many were open, of their address or of all.',
    registers: [metrics],
  });
  if (total !== undefined) server.maxConnections = total;
  server.on('drop', () => refused.inc());
  if (perAddress === 0) return;
  const isTrustedProxy = createProxyCheck(trustedProxies);
  const open = new Map<string, number>();

  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (isTrustedProxy(address)) return;
    const network = networkOf(address);
    const count = open.get(network) ?? 0;
    if (count >= perAddress) {
      refused.inc();
      socket.destroy();
      return;
    }
    open.set(network, count + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 0) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}
