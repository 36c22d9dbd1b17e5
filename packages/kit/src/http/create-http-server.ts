import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { Part } from '../lifecycle/part.ts';
import { closeUnused } from './close-unused.ts';
import { expressMessages } from './express-messages.ts';
import { guardConnections } from './guard-connections.ts';
import { type ConnectionLimit, limitConnections } from './limit-connections.ts';
import { listen } from './listen.ts';

export interface HttpServer extends Part {
  readonly url: string;
}

/** An HTTP server as a part: bounded against slow clients, and polite at its end. */
export function createHttpServer(options: {
  handler: RequestListener;
  host: string;
  port: number;
  /** Must outlast the pool of whoever calls, so that the caller ends idle connections, not we. */
  idleTimeout?: number;
  /** Node's own settings, for the edge. */
  settings?: ServerOptions;
  /** For a server that outsiders can reach. */
  connectionLimit?: ConnectionLimit;
  /** Headers of refusals that are written before there is a request. */
  refusalHeaders?: Readonly<Record<string, string>>;
  /** What the server sees in place of a connection's socket. */
  wrapSocket?(socket: Socket): Duplex;
  /** A connection on which no byte moves for so long is closed, in milliseconds. */
  stallLimit?: number;
  /** A request that has not arrived whole by then is refused with 408, in milliseconds. */
  requestLimit?: number;
}): HttpServer {
  let draining = false;
  const server = createServer({
    connectionsCheckingInterval: 2_000,
    // The edge takes a head of 16 KiB. Its principal repeats the target, so the head grows on its way in.
    maxHeaderSize: 65_536,
    // Node would refuse a request without Host itself, without our headers: see `checkHost`.
    requireHostHeader: false,
    ...(isExpress(options.handler) && expressMessages(options.handler)),
    ...options.settings,
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = options.requestLimit ?? 60_000;
  server.keepAliveTimeout = options.idleTimeout ?? 75_000;
  if (options.stallLimit !== undefined) {
    server.timeout = options.stallLimit;
    // Without a reset the kernel would keep what it accepted, megabytes at times, until the client takes it.
    server.on('timeout', (socket) => socket.resetAndDestroy());
  }

  if (options.connectionLimit) limitConnections(server, options.connectionLimit);
  const closeUnusedConnections = closeUnused(server);
  const handle: RequestListener = (request, response) => {
    if (draining) response.setHeader('connection', 'close');
    // A target that is no path, such as `*` or an absolute URI. Express answers one that it cannot parse by itself,
    // past all middleware; with a slash in front it is an unknown path.
    if (!request.url?.startsWith('/')) request.url = `/${request.url}`;
    options.handler(request, response);
  };
  guardConnections(server, handle, options.refusalHeaders);
  if (options.wrapSocket) wrapSockets(server, options.wrapSocket);

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
      draining = true;
    },
    stop() {
      draining = true;
      return new Promise((resolve) => {
        // A call that began before the drain leaves its connection open: it is idle once answered.
        const closeThem = () => {
          server.closeIdleConnections();
          closeUnusedConnections();
        };
        const sweep = setInterval(closeThem, 50);
        server.close(() => {
          clearInterval(sweep);
          resolve();
        });
        closeThem();
      });
    },
  };
}

/** Node documents that its server takes any Duplex for a connection. */
function wrapSockets(server: Server, wrap: (socket: Socket) => Duplex): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    const wrapped = wrap(socket);
    for (const listener of listeners) listener.call(server, wrapped);
  });
}

function isExpress(handler: RequestListener): handler is Express {
  return 'request' in handler && 'response' in handler;
}
