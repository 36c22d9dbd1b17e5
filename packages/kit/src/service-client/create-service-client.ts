import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { Clock } from '../clock/index.ts';
import type { KeysWithIds } from '../config/index.ts';
import { ClientLeft, isRead } from '../http/index.ts';
import type { Log } from '../log/index.ts';
import type { Part } from '../part/index.ts';
import { createPrincipalSigner, type Principal, principalHeader } from '../principal/index.ts';
import { currentTraceparent } from '../tracing/current-span.ts';
import {
  type Failure,
  failureOf,
  hasBegun,
  isOfService,
  mayReachAnother,
  problemOf,
  wasKeptAlive,
} from './failures.ts';

export interface ServiceCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The template of the path, for the log. Required where the path contains an id. */
  readonly route?: string;
  readonly principal: Principal;
  /** The same in every service that the call passes, and in each attempt. */
  readonly callId: string;
  /** The client adds its own headers to this object. */
  readonly headers?: OutgoingHttpHeaders;
  /** A body that is sent as JSON. */
  readonly json?: unknown;
  /** A body in bytes, whose type is in `headers`. */
  readonly body?: Buffer | undefined;
  /** The response of the client for whom the call is made. When that client leaves, the call is cancelled. */
  readonly response?: ServerResponse;
}

/** The response of a service. */
export class ServiceResponse extends Readable {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly #controller: Dispatcher.DispatchController;

  constructor(controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders) {
    super({ highWaterMark: 65_536 });
    this.#controller = controller;
    this.statusCode = statusCode;
    this.headers = headers;
  }

  override _read(): void {
    this.#controller.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.readableEnded) this.#controller.abort(error ?? new ClientLeft());
    done(error);
  }
}

/** Calls another service over kept-alive connections, with a principal that this service signs. */
export interface ServiceClient extends Part {
  /**
   * Resolves with the head of the response, whatever its status. Throws a `Problem` when there is no response, and logs the
   * cause.
   *
   * A call is sent once more after each of these, since one of two instances may be restarting or gone: a kept-alive connection broke
   * before the response began; a new connection was refused; a new connection was not made in time. `callId` makes that safe.
   */
  call(call: ServiceCall): Promise<ServiceResponse>;
  /** Whether the service responds, with any status. */
  isReachable(): Promise<boolean>;
}

const pauseAfterRefusalMs = 100;
/** Where a network drops packets, as at a Service without pods, a connection is neither made nor refused. */
const connectTimeoutMs = 1_500;
/** An instance that is silent for this long may be frozen. Kept-alive connections lead to it after others answer in its place. */
const slowMs = 2_000;
const probeTimeoutMs = 1_500;

const poolOptions = {
  /** Further calls wait until one of these is free. */
  connections: 512,
  /** Shorter than the 75 s for which a service keeps an idle connection, so that the service never closes it first. */
  keepAliveTimeout: 20_000,
  keepAliveMaxTimeout: 20_000,
  /** Only new connections reach new instances of a service, so old ones are replaced. */
  clientTtl: 30_000,
} as const;

export function createServiceClient(options: {
  /** The service that calls. */
  caller: string;
  name: string;
  url: string;
  keys: KeysWithIds;
  clock: Clock;
  log: Log;
  /** How long an attempt waits for the head of the response, and then for each further part of it. */
  timeoutMs?: number;
}): ServiceClient {
  const { caller, name, url, keys, clock, log, timeoutMs = 30_000 } = options;
  const sign = createPrincipalSigner({ caller, audience: name, keys, clock });
  const pools = new Set<Pool>();
  let pool = openPool();
  let isStopped = false;

  function openPool(): Pool {
    const opened = new Pool(url, {
      ...poolOptions,
      connect: connectAndWatch,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    pools.add(opened);
    return opened;
  }

  /** Further calls use no connection of this pool. Calls that run there go on. */
  function replacePool(used: Pool): void {
    if (used !== pool || isStopped) return;
    pool = openPool();
    void used.close().finally(() => pools.delete(used));
  }

  function send(call: ServiceCall): Promise<ServiceResponse> {
    const { method, path, route = path.split('?')[0], principal, callId, json, headers = {} } = call;
    const { response: clientResponse } = call;
    // A closed response emits no further `close`.
    if (clientResponse?.closed) return Promise.reject(new ClientLeft());
    /** Until the response begins, since the call may be repeated. No closure holds `call`, which has the body too. */
    let body = json === undefined ? call.body : Buffer.from(JSON.stringify(json));
    // Without the path, since an id in it opens a conversation.
    const labels = { callee: name, callId, method, route };
    if (json !== undefined) headers['content-type'] = 'application/json';
    headers['x-request-id'] = callId;
    const traceparent = currentTraceparent();
    if (traceparent !== undefined) headers.traceparent = traceparent;
    const startedAt = performance.now();

    function logFailure({ name, code = name, message }: NodeJS.ErrnoException): void {
      const ms = Math.round(performance.now() - startedAt);
      log.warn({ ...labels, code, reason: message, ms }, 'a call of another service failed');
    }

    return new Promise((resolve, reject) => {
      const repeated = new Set<Failure>();
      let mayHaveTakenEffect = false;
      let hasLeft = false;
      let controller: Dispatcher.DispatchController | undefined;
      let response: ServiceResponse | undefined;

      function attempt(): void {
        if (hasLeft) return;
        const used = pool;
        const slowTimer = setTimeout(replacePool, slowMs, used);
        headers[principalHeader] = sign({ principal, method, path, callId, body });
        const handler: Dispatcher.DispatchHandler = {
          onRequestStart(started) {
            controller = started;
            if (hasLeft) started.abort(new ClientLeft());
          },
          onResponseStart(ofResponse, statusCode, responseHeaders) {
            // An interim response is not the one that is waited for.
            if (statusCode < 200) return;
            clearTimeout(slowTimer);
            body = undefined;
            response = new ServiceResponse(ofResponse, statusCode, responseHeaders);
            response.on('error', (error) => {
              if (isOfService(error) && !isStopped) logFailure(error);
            });
            resolve(response);
          },
          onResponseData(ofResponse, piece) {
            if (response?.push(piece) === false) ofResponse.pause();
          },
          onResponseEnd: () => void response?.push(null),
          onResponseError(_, error) {
            clearTimeout(slowTimer);
            if (response) response.destroy(error);
            else onFailure(error, used);
          },
        };
        used.dispatch(
          { method, path, headers: headers as Record<string, string>, body: body ?? null },
          handler,
        );
      }

      function onFailure(error: NodeJS.ErrnoException, used: Pool): void {
        if (hasLeft) return;
        const failure = failureOf(error);
        if (!isRead(method) && hasBegun(failure)) mayHaveTakenEffect = true;
        const isRepeatable = mayReachAnother(failure, error) || (failure === 'broken' && wasKeptAlive(error));
        if (isStopped || !isRepeatable || repeated.has(failure)) {
          if (!isStopped) logFailure(error);
          reject(problemOf(failure, { name, mayHaveTakenEffect, cause: error }));
          return;
        }
        repeated.add(failure);
        replacePool(used);
        if (failure === 'broken') attempt();
        else setTimeout(attempt, pauseAfterRefusalMs);
      }

      clientResponse?.once('close', () => {
        if (clientResponse.writableFinished) return;
        hasLeft = true;
        if (response) response.destroy();
        else controller?.abort(new ClientLeft());
        reject(new ClientLeft());
      });
      attempt();
    });
  }

  return {
    name: `${name} client`,
    call: send,
    async isReachable() {
      try {
        const { body } = await pool.request({
          method: 'HEAD',
          path: '/',
          signal: AbortSignal.timeout(probeTimeoutMs),
        });
        await body.dump();
        return true;
      } catch {
        return false;
      }
    },
    async stop() {
      isStopped = true;
      await Promise.all([...pools].map((each) => each.destroy()));
    },
  };
}

const connect = buildConnector({ timeout: connectTimeoutMs });

/** Adds to the error of a connection what it has received, as undici does with its own errors. */
const connectAndWatch: buildConnector.connector = (options, callback) =>
  connect(options, (...[error, socket]) => {
    socket?.once('error', (socketError) => {
      Object.assign(socketError, { socket: { bytesRead: socket.bytesRead } });
    });
    if (error) callback(error, null);
    else callback(null, socket);
  });
