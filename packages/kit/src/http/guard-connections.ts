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

type Exchange = [IncomingMessage, ServerResponse];

interface Connection {
  /** The response of the request that is handled now. */
  response?: ServerResponse | undefined;
  /** Pipelined requests that arrived before that response was finished. */
  readonly queue: Exchange[];
  /** The newest request, until it is complete and answered. Until it is complete, everything that arrives is its body. */
  newest?: Exchange | undefined;
  /** The last answer of the connection, after those to the requests before it. */
  refusal?: Problem;
  willPause: boolean;
}

/**
 * Requests that may wait on one connection. Node reads 64 KiB at once and makes objects of about 3 KB for each request in
 * it, and more than 3,000 requests fit into that.
 */
const maxQueued = 16;

/**
 * Passes requests to the handler, and protects the process from hostile and broken connections:
 *
 * - The requests of one connection are handled one after the other, and none after a response that closes the connection.
 *   Node would start them all at once, and fails an assertion when their responses finish out of order on a broken socket.
 *   A connection that sends too many before their answers is closed after the answers to the first ones, and one after whose
 *   request Node may lose bytes, after the answer to it.
 * - A socket always has an `error` listener. Node removes its own before it emits `connect` and `upgrade`.
 * - CONNECT, malformed heads and slow heads, for which Node emits no request, are answered with a problem, after the requests
 *   that arrived before them.
 */
export function guardConnections(
  server: Server,
  handler: RequestListener,
  /** For refusals that are written without the handler. */
  headers: Readonly<Record<string, string>> = {},
): void {
  const connections = new WeakMap<Duplex, Connection>();

  function handle(connection: Connection, [request, response]: Exchange): void {
    connection.response = response;
    response.once('close', () => {
      // A kept-alive connection may stay idle for a long time, and holds nothing of its last call.
      if (connection.response === response) connection.response = undefined;
      if (request.complete && connection.newest?.[0] === request) connection.newest = undefined;
      handleNext(connection, request.socket);
    });
    handler(request, response);
  }

  function handleNext(connection: Connection, socket: IncomingMessage['socket']): void {
    const { queue } = connection;
    if (!socket.writable) {
      queue.length = 0;
      return;
    }
    const next = queue.shift();
    if (!next) {
      if (connection.refusal) refuse(socket, connection.refusal, headers);
      return;
    }
    if (queue.length === 0) socket.resume();
    handle(connection, next);
  }

  /** Refuses what Node could not read. Answers keep the order of their requests, so the earlier ones are answered first. */
  function refuseInOrder(connection: Connection, socket: Duplex, problem: Problem): void {
    // Node reports each further piece of a request that it cannot read.
    if (connection.refusal) return;
    connection.refusal = problem;
    const { queue, newest } = connection;
    const [request, response] = newest ?? [];
    if (!request || !response || request.complete) {
      if (isIdle(connection)) refuse(socket, problem, headers);
    } else if (queue.at(-1) === newest) {
      // Its body cannot be read, so it is refused and not handled.
      queue.pop();
    } else if (response.headersSent) {
      close(socket);
    } else {
      refuse(socket, problem, headers);
    }
  }

  /**
   * Stops reading until the queue is empty, so that what a client pipelines is limited to one read. Node resumes a socket
   * after each request that it parses, so the socket is paused after the last request of this read.
   */
  function pauseAfterRead(connection: Connection, socket: IncomingMessage['socket']): void {
    if (connection.willPause) return;
    connection.willPause = true;
    setImmediate(() => {
      connection.willPause = false;
      if (connection.queue.length > 0) socket.pause();
    });
  }

  server.on('request', (request, response) => {
    const { socket } = request;
    // When a connection breaks, Node still parses what it has read from it.
    if (!socket.writable) return;
    const exchange: Exchange = [request, response];
    let connection = connections.get(socket);
    if (!connection) {
      connection = { queue: [], newest: exchange, willPause: false };
      connections.set(socket, connection);
    }
    // After a head that was too slow, Node still parses its rest.
    if (connection.refusal) return;
    connection.newest = exchange;
    if (isLast(request)) response.shouldKeepAlive = false;
    if (isIdle(connection)) {
      handle(connection, exchange);
      return;
    }
    if (connection.queue.length === maxQueued) {
      connection.refusal = new Problem('too_many_at_once', {
        detail: `Wait for answers: at most ${maxQueued} requests may wait on one connection.`,
        headers: { 'retry-after': '1' },
      });
      ignoreFurtherRequests(socket);
      return;
    }
    connection.queue.push(exchange);
    pauseAfterRead(connection, socket);
  });
  // Without these listeners Node answers before the handler runs. The handler decides when it reads the body.
  for (const event of ['checkContinue', 'checkExpectation'] as const) {
    server.on(event, (request, response) => server.emit('request', request, response));
  }

  server.on('connection', (socket) => socket.on('error', ignore));
  server.on('connect', (_request, socket) => {
    const connection = connections.get(socket);
    // Node has removed its own listeners from the socket, so earlier answers could not be completed.
    if (connection && !isIdle(connection)) close(socket);
    else refuse(socket, new Problem('method_not_allowed', { headers: { allow: '' } }), headers);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.get(socket);
    if (error.code === 'ECONNRESET') close(socket);
    else if (connection) refuseInOrder(connection, socket, problemOf(error));
    else refuse(socket, problemOf(error), headers);
  });
}

/** Node keeps only this number of headers of a request. */
const keptHeaders = 1_000;

/**
 * Whether nothing may follow a request on its connection. After an Upgrade, which may also be a header that Node has not kept, Node
 * drops what it has read behind the request, and would take the next bytes for the beginning of another one. In HTTP/1.0, the end of
 * a body in chunks is not sure (RFC 9112, 6.1).
 */
const isLast = ({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean =>
  headers.upgrade !== undefined ||
  rawHeaders.length > 2 * keptHeaders ||
  (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined);

/** Whether no request is handled or queued. A response whose socket was detached for a stream does not count. */
const isIdle = ({ response, queue }: Connection): boolean => !response?.socket && queue.length === 0;

function ignore(): void {}

/**
 * Node parses everything that it has read, and keeps the objects of each request until the connection closes. Nothing in its
 * documentation prevents that, so its parser's callback is replaced.
 */
function ignoreFurtherRequests(socket: Duplex): void {
  const { parser } = socket as Duplex & { parser?: { onIncoming: () => number } };
  if (parser) parser.onIncoming = () => 0;
}

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

const closeTimeoutMs = 1_000;

/** Gives the peer some time to receive what was written. */
function close(socket: Duplex): void {
  socket.end();
  setTimeout(() => socket.destroy(), closeTimeoutMs).unref();
}

/** No list, and no path. Whether a page may use this host is another check. */
const hostPattern = /^[^\s,/\\?#]*$/;

/**
 * HTTP/1.1 requires exactly one Host header. Node keeps the first of several and reports nothing. Its refusal of a request
 * without Host is switched off in createHttpServer, so public handlers call this function.
 */
export function checkHost({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0') || !hostPattern.test(headers.host ?? '')) {
    throw new Problem('invalid_request', { detail: 'Send one Host header, with one host.' });
  }
}
