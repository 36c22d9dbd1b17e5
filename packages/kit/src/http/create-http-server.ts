import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Part, StartupError } from '../part/index.ts';
import { expressMessages, isExpress } from './express-messages.ts';
import { guardConnections } from './guard-connections.ts';
import { type ConnectionLimit, limitConnections } from './limit-connections.ts';

export interface HttpServer extends Part {
  readonly url: string;
}

/**
 * While the server stops, a request must be complete this long after its beginning, or it is refused with 408. With the
 * pause before a stop (5 s), late connections and Node's interval of checks, this is over before the process ends at its
 * limit (25 s).
 */
const requestTimeoutAtStopMs = 10_000;

/** After a pause, the server stops listening when no connection has arrived for this long. */
const quietMs = 1_000;
/** A load balancer may be late. Connections that still arrive delay the stop by at most this, and by at most the pause. */
const latestConnectionMs = 5_000;
/** Without a pause, only connections that have arrived are accepted. Under constant new ones that would not end. */
const acceptLimitMs = 500;

/** An HTTP server as a part of a service. It disconnects slow clients; when it stops, it finishes the calls that run. */
export function createHttpServer(options: {
  handler: RequestListener;
  host: string;
  port: number;
  /** Node's own settings. */
  settings?: ServerOptions;
  /** For a server that the public can reach. */
  connectionLimit?: ConnectionLimit;
  /** Headers of refusals that are written before Express sees a request. */
  refusalHeaders?: Readonly<Record<string, string>>;
  /** Gives the server another stream in place of a connection's socket. */
  wrapSocket?(socket: Socket): Duplex;
  /** A connection without any traffic for this time is closed. */
  stallTimeoutMs?: number;
  /**
   * A client that ends its side of the connection after its request, as `nc -N` does, gets its response; except that a read is
   * cancelled whose response has not begun after this time, since a client that has left looks the same. Without it, Node closes
   * such connections at once.
   */
  halfClosedReadMs?: number | undefined;
  /** A request that is not complete after this time is refused with 408. */
  requestTimeoutMs?: number;
}): HttpServer {
  const { requestTimeoutMs = 60_000, stallTimeoutMs } = options;
  let drainingSince: number | undefined;
  let lastConnectionAt = 0;
  const server = createServer({
    connectionsCheckingInterval: 2_000,
    // The edge accepts a head of 16 KiB. The principal repeats the target, so the head of the call to a service is larger.
    maxHeaderSize: 65_536,
    // Node's own refusal of a request without Host would lack the security headers: see `checkHost`.
    requireHostHeader: false,
    ...(isExpress(options.handler) && expressMessages(options.handler)),
    ...options.settings,
  });
  // Node swaps the two limits if the first one is longer.
  server.headersTimeout = Math.min(10_000, requestTimeoutMs);
  server.requestTimeout = requestTimeoutMs;
  // Longer than callers keep connections idle, so that the caller closes them and not this server.
  server.keepAliveTimeout = 75_000;
  if (stallTimeoutMs !== undefined) {
    server.timeout = stallTimeoutMs;
    // Without a reset the kernel could keep megabytes until the client reads them.
    server.on('timeout', (socket) => socket.resetAndDestroy());
  }

  if (options.connectionLimit) limitConnections(server, options.connectionLimit);
  server.on('connection', () => {
    lastConnectionAt = performance.now();
  });
  const closeUnusedConnections = trackUnusedConnections(server);
  const handle: RequestListener = (request, response) => {
    if (drainingSince !== undefined) response.setHeader('connection', 'close');
    request.url = pathOf(request.url ?? '', request.headers.host);
    options.handler(request, response);
  };
  // Node does not document it. Each version that is supported has it.
  if (options.halfClosedReadMs !== undefined) Object.assign(server, { httpAllowHalfOpen: true });
  guardConnections(server, handle, options);
  if (options.wrapSocket) wrapSockets(server, options.wrapSocket);

  /** Runs `work` when the server can stop listening: a connection that was not accepted yet would be reset. */
  function afterLastConnection(pauseMs: number, work: () => void): void {
    const end = performance.now() + Math.min(pauseMs, latestConnectionMs);
    function look(): void {
      const begun = performance.now();
      afterReading(() => {
        const now = performance.now();
        // Node accepts one connection each time it reads, and reads from it the next time.
        const isQuiet = lastConnectionAt < Math.min(begun, now - Math.min(pauseMs, quietMs));
        if (isQuiet || now > end + acceptLimitMs) work();
        else look();
      });
    }
    look();
  }

  let url = '';
  return {
    name: 'http server',
    get url() {
      return url;
    },
    async start() {
      url = await listen(server, options.host, options.port);
    },
    drain() {
      drainingSince ??= performance.now();
    },
    stop() {
      const now = performance.now();
      drainingSince ??= now;
      const pauseMs = now - drainingSince;
      return new Promise((resolve) => {
        // A connection becomes idle after the response to its call.
        const closeIdleConnections = () => {
          server.closeIdleConnections();
          closeUnusedConnections();
        };
        afterLastConnection(pauseMs, () => {
          const sweep = setInterval(() => afterReading(closeIdleConnections), 50);
          server.requestTimeout = Math.min(requestTimeoutMs, requestTimeoutAtStopMs);
          // `server.close` would also end the checks for slow requests, and an incomplete request would delay the stop.
          NetServer.prototype.close.call(server, () => {
            clearInterval(sweep);
            server.close();
            resolve();
          });
          closeIdleConnections();
        });
      });
    },
  };
}

/**
 * The path and query of a request's target. The target may be an absolute URI (RFC 9112, 3.2.2), but of the host in the Host
 * header only: this server is no proxy. Express responds to a target that it cannot parse without running any middleware, so all
 * others, such as `*`, get a slash in front, which makes them an unknown path.
 */
function pathOf(target: string, host: string | undefined): string {
  if (target.startsWith('/')) return target;
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]+)(.*)$/is.exec(target) ?? [];
  const isOurs = authority !== undefined && authority.toLowerCase() === host?.toLowerCase();
  const path = isOurs ? rest : target;
  return path.startsWith('/') ? path : `/${path}`;
}

/**
 * Runs `work` right after the event loop has read what has arrived. A connection whose request has arrived but was not
 * read still counts as idle, and a busy process would close many of these.
 */
function afterReading(work: () => void): void {
  setTimeout(() => setImmediate(work));
}

/** Node's documentation allows any Duplex as a connection of a server. */
function wrapSockets(server: Server, wrap: (socket: Socket) => Duplex): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    const wrapped = wrap(socket);
    for (const listener of listeners) listener.call(server, wrapped);
  });
}

/**
 * How many connections may wait to be accepted. With Node's default of 511, many of a thousand clients that reconnect at
 * once would only succeed after retries of 1, 3 and 7 s. The operating system has another limit.
 */
const backlog = 4_096;

/** Listens, and resolves with the address under which this machine reaches the server. */
export function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new StartupError(`Cannot listen on ${host}:${port}: ${explain(error)}`)),
    );
    server.listen({ port, host, backlog }, () => {
      server.removeAllListeners('error');
      const address = server.address() as AddressInfo;
      const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
      resolve(`http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${address.port}`);
    });
  });
}

function explain(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return 'another process uses this port. Stop it, or set another port.';
  if (error.code === 'EACCES') return 'this user may not use this port. Choose one above 1023.';
  return error.message;
}

/**
 * Returns a function that closes the connections over which nothing was sent yet. Browsers and fetch open some in advance,
 * and Node's closeIdleConnections leaves them open.
 */
function trackUnusedConnections(server: Server): () => void {
  const unused = new Set<Socket>();
  function forget(this: Socket): void {
    unused.delete(this);
  }
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', forget);
  });
  server.on('request', ({ socket }) => {
    if (unused.delete(socket)) socket.off('close', forget);
  });
  return () => {
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
  };
}
