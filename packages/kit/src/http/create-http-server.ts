import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Express } from 'express';
import type { Part } from '../lifecycle/part.ts';
import { closeUnused } from './close-unused.ts';
import { expressMessages } from './express-messages.ts';
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
  /** Called once with the server before it listens, for events beyond plain requests. */
  prepare?(server: Server): void;
}): HttpServer {
  let draining = false;
  const server = createServer({
    connectionsCheckingInterval: 2_000,
    // The edge takes a head of 16 KiB. Its principal repeats the target, so the head grows on its way in.
    maxHeaderSize: 65_536,
    ...(isExpress(options.handler) && expressMessages(options.handler)),
    ...options.settings,
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = options.idleTimeout ?? 75_000;

  if (options.connectionLimit) limitConnections(server, options.connectionLimit);
  const closeUnusedConnections = closeUnused(server);
  server.on('request', (request, response: ServerResponse) => {
    if (draining) response.setHeader('connection', 'close');
    options.handler(request, response);
  });
  options.prepare?.(server);

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

function isExpress(handler: RequestListener): handler is Express {
  return 'request' in handler && 'response' in handler;
}
