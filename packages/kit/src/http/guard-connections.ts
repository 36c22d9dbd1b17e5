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
import { isRead } from './is-read.ts';

/** A request that is not complete, or whose response has not ended. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Handled after the response. */
  next?: Exchange | undefined;
  /** Sent after the response, for what arrived behind the request. */
  refusal?: Problem;
}

/**
 * Passes requests to the handler, and protects the process from hostile and broken connections:
 *
 * - The requests of one connection are handled one after the other. Node would start them all at once, and fails an assertion when
 *   their responses finish out of order on a broken socket. One may wait, since a client may have all bytes of a response before it
 *   has ended here. A further one is refused after their responses, and the connection is closed.
 * - Nothing is handled behind a request after which Node may lose bytes.
 * - A socket always has an `error` listener. Node removes its own before it emits `connect` and `upgrade`.
 * - CONNECT, malformed heads and slow heads, for which Node emits no request, are refused with a problem.
 */
export function guardConnections(
  server: Server,
  handler: RequestListener,
  options: {
    /** Headers of refusals that are written without the handler. */
    refusalHeaders?: Readonly<Record<string, string>>;
    /** See `createHttpServer`. */
    halfClosedReadMs?: number | undefined;
  } = {},
): void {
  const { refusalHeaders: headers = {}, halfClosedReadMs } = options;
  const exchanges = new WeakMap<Duplex, Exchange>();

  function handle(exchange: Exchange): void {
    const { request, response } = exchange;
    const { socket } = request;
    exchanges.set(socket, exchange);
    response.once('close', () => {
      // Until its body is complete, everything that arrives belongs to it. After that, an idle connection holds nothing of it.
      if (request.complete && exchanges.get(socket) === exchange) exchanges.delete(socket);
      if (exchange.refusal) refuse(socket, exchange.refusal, headers);
      else if (exchange.next && socket.writable) handle(exchange.next);
    });
    handler(request, response);
  }

  /** Refuses what Node could not read, after the responses to the requests before it. */
  function refuseUnreadable(exchange: Exchange, socket: Duplex, problem: Problem): void {
    // Node reports each further piece of a request that it cannot read.
    if (hasRefusal(exchange)) return;
    const { request, response, next } = exchange;
    if (next?.request.complete) {
      next.refusal = problem;
      return;
    }
    exchange.refusal = problem;
    // The body of a request that waits cannot be read, so it is not handled.
    exchange.next = undefined;
    if (request.complete && isUnderWay(exchange)) return;
    if (!request.complete && response.headersSent) close(socket);
    else refuse(socket, problem, headers);
  }

  server.on('request', (request, response) => {
    const { socket } = request;
    // When a connection breaks, Node still parses what it has read from it.
    if (!socket.writable) return;
    const current = exchanges.get(socket);
    // After a head that was too slow, Node still parses its rest.
    if (current && hasRefusal(current)) return;
    if (isLast(request)) response.shouldKeepAlive = false;
    const exchange: Exchange = { request, response };
    if (!current || !isUnderWay(current)) handle(exchange);
    else if (!current.next) current.next = exchange;
    else {
      current.next.refusal = pipelined();
      ignoreFurtherRequests(socket);
    }
  });
  // Without these listeners Node responds before the handler runs. The handler decides when it reads the body.
  for (const event of ['checkContinue', 'checkExpectation'] as const) {
    server.on(event, (request, response) => server.emit('request', request, response));
  }

  server.on('connection', (socket: Duplex) => {
    socket.on('error', ignore);
    if (halfClosedReadMs === undefined) return;
    socket.once('end', () => {
      const { request, response } = exchanges.get(socket) ?? {};
      if (!response || !isRead(request?.method)) return;
      setTimeout(() => response.headersSent || socket.destroy(), halfClosedReadMs).unref();
    });
  });
  server.on('connect', (_request, socket) => {
    const exchange = exchanges.get(socket);
    // Node has removed its own listeners from the socket, so the response before it could not be completed.
    if (exchange && isUnderWay(exchange)) close(socket);
    else refuse(socket, new Problem('method_not_allowed', { headers: { allow: '' } }), headers);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const exchange = exchanges.get(socket);
    if (error.code === 'ECONNRESET') close(socket);
    else if (exchange) refuseUnreadable(exchange, socket, problemOf(error));
    else refuse(socket, problemOf(error), headers);
  });
}

const isUnderWay = ({ response }: Exchange): boolean => response.socket !== null;

const hasRefusal = ({ refusal, next }: Exchange): boolean => (refusal ?? next?.refusal) !== undefined;

const pipelined = (): Problem =>
  new Problem('too_many_at_once', {
    detail: 'Wait for responses before you send more requests on a connection.',
    headers: { 'retry-after': '1' },
  });

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
