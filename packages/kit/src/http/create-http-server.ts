import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Part } from '../lifecycle/part.ts';
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
}): HttpServer {
  let draining = false;
  const server = createServer({ connectionsCheckingInterval: 2_000 });
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = options.idleTimeout ?? 75_000;

  server.on('request', (request, response: ServerResponse) => {
    if (draining) response.setHeader('connection', 'close');
    options.handler(request, response);
  });

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
        server.close(() => resolve());
        server.closeIdleConnections();
      });
    },
  };
}
