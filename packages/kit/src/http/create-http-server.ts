import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { type Part, StartupError } from '../part/index.ts';
import { type ConnectionLimit, guardConnections, limitConnections } from './guard-connections.ts';

export interface HttpServer extends Part {
  readonly url: string;
}

/** An HTTP server as a part: slow clients are disconnected, and its end interrupts no call. */
export function createHttpServer(options: {
  handler: RequestListener;
  host: string;
  port: number;
  /** Longer than callers keep connections idle, so that the caller closes them and not this server. In milliseconds. */
  idleTimeout?: number;
  /** Node's own settings. */
  settings?: ServerOptions;
  /** For a server that the public can reach. */
  connectionLimit?: ConnectionLimit;
  /** Headers of refusals that are written before Express sees a request. */
  refusalHeaders?: Readonly<Record<string, string>>;
  /** Gives the server another stream in place of a connection's socket. */
  wrapSocket?(socket: Socket): Duplex;
  /** A connection without any traffic for this time is closed, in milliseconds. */
  stallLimit?: number;
  /** A request that is not complete after this time is refused with 408, in milliseconds. */
  requestLimit?: number;
}): HttpServer {
  let draining = false;
  const server = createServer({
    connectionsCheckingInterval: 2_000,
    // The edge takes a head of 16 KiB. Its principal repeats the target, so the head grows on its way in.
    maxHeaderSize: 65_536,
    // Node's own refusal of a request without Host would lack the security headers: see `checkHost`.
    requireHostHeader: false,
    ...(isExpress(options.handler) && expressMessages(options.handler)),
    ...options.settings,
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = options.requestLimit ?? 60_000;
  server.keepAliveTimeout = options.idleTimeout ?? 75_000;
  if (options.stallLimit !== undefined) {
    server.timeout = options.stallLimit;
    // Without a reset the kernel could keep megabytes until the client takes them.
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
        // The connection of a call that began before the drain is idle once the call is answered.
        const closeIdle = () => {
          server.closeIdleConnections();
          closeUnusedConnections();
        };
        const sweep = setInterval(() => afterReading(closeIdle), 50);
        // `close` also closes idle connections.
        afterReading(() => {
          server.close(() => {
            clearInterval(sweep);
            resolve();
          });
          closeUnusedConnections();
        });
      });
    },
  };
}

/**
 * Runs `work` right after the event loop has read what has arrived. A connection whose request has arrived unread still counts
 * as idle, and a busy process would close many of these.
 */
function afterReading(work: () => void): void {
  setTimeout(() => setImmediate(work));
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

/**
 * How many connections may wait to be accepted. With Node's default of 511, many of a thousand readers that reconnect at
 * once would only succeed after retries of 1, 3 and 7 s. The operating system has a limit of its own.
 */
const backlog = 4_096;

/** Listens and gives the address under which this machine reaches the server. */
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
 * Gives a function that closes the connections on which nothing was sent yet. Browsers and fetch open some in advance,
 * and Node's closeIdleConnections leaves them open.
 */
function closeUnused(server: Server): () => void {
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

type Messages = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

/**
 * Express sets the prototype of each request and response to the app's own, which makes V8 drop its optimisations: a
 * call through an otherwise empty app took twice the time. Messages that are created with that prototype stay fast.
 */
export function expressMessages(app: Express): Required<Messages> {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  adopt(AppRequest.prototype, app.request);
  adopt(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse as typeof ServerResponse };
}

/** Copies the methods of Express and the reference to the app, which are between Node's prototype and the messages. */
function adopt(prototype: object, extension: object): void {
  const methods = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(extension) as object);
  Object.defineProperties(prototype, { ...methods, ...Object.getOwnPropertyDescriptors(extension) });
}
