import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { ClientLeft, isRead } from '../http/index.ts';
import type { Log } from '../log/index.ts';
import { type createPrincipalSigner, type Principal, principalHeader } from '../principal/index.ts';
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
  readonly clientResponse?: ServerResponse;
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

/** What all calls of one client share. */
export interface SharedByCalls {
  /** Of the service that is called. */
  readonly name: string;
  readonly sign: ReturnType<typeof createPrincipalSigner>;
  readonly log: Log;
  readonly isStopped: () => boolean;
  /** The pool of the next attempt. */
  readonly pool: () => Pool;
  /** Further calls use no connection of this pool. */
  readonly replacePool: (used: Pool) => void;
}

const pauseAfterRefusalMs = 100;
/** An instance that is silent for this long may be frozen. Kept-alive connections lead to it after others answer in its place. */
const slowMs = 2_000;

/** A call until its response has ended: its attempts, one at a time, of each of which it is undici's handler. */
export class PendingCall implements Dispatcher.DispatchHandler {
  readonly #shared: SharedByCalls;
  // Not the call itself, which has the body too.
  readonly #method: string;
  readonly #path: string;
  readonly #route: string | undefined;
  readonly #principal: Principal;
  readonly #callId: string;
  readonly #headers: OutgoingHttpHeaders;
  /** Until the response begins, since the call may be repeated. */
  #body: Buffer | undefined;
  readonly #startedAt = performance.now();
  readonly #repeated = new Set<Failure>();
  #mayHaveTakenEffect = false;
  #hasLeft = false;
  #resolve: (response: ServiceResponse) => void = () => {};
  #reject: (error: Error) => void = () => {};
  // Of the newest attempt.
  #pool: Pool;
  #slowTimer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #response: ServiceResponse | undefined;

  constructor(shared: SharedByCalls, call: ServiceCall) {
    const { method, path, route, principal, callId, json, headers = {} } = call;
    this.#shared = shared;
    this.#method = method;
    this.#path = path;
    this.#route = route;
    this.#principal = principal;
    this.#callId = callId;
    this.#headers = headers;
    this.#body = json === undefined ? call.body : Buffer.from(JSON.stringify(json));
    if (json !== undefined) headers['content-type'] = 'application/json';
    headers['x-request-id'] = callId;
    const traceparent = currentTraceparent();
    if (traceparent !== undefined) headers.traceparent = traceparent;
    this.#pool = shared.pool();
  }

  /** Resolves with the head of the response. */
  send(clientResponse: ServerResponse | undefined): Promise<ServiceResponse> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      clientResponse?.once('close', () => {
        if (!clientResponse.writableFinished) this.#leave();
      });
      this.#attempt();
    });
  }

  #attempt(): void {
    if (this.#hasLeft) return;
    const { sign, pool, replacePool } = this.#shared;
    this.#pool = pool();
    this.#slowTimer = setTimeout(replacePool, slowMs, this.#pool);
    const [method, path, callId, body] = [this.#method, this.#path, this.#callId, this.#body];
    this.#headers[principalHeader] = sign({ principal: this.#principal, method, path, callId, body });
    this.#pool.dispatch(
      { method, path, headers: this.#headers as Record<string, string>, body: body ?? null },
      this,
    );
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    this.#controller = started;
    if (this.#hasLeft) started.abort(new ClientLeft());
  }

  onResponseStart(
    ofResponse: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    // An interim response is not the one that is waited for.
    if (statusCode < 200) return;
    clearTimeout(this.#slowTimer);
    this.#body = undefined;
    this.#response = new ServiceResponse(ofResponse, statusCode, headers);
    this.#response.on('error', (error) => {
      if (isOfService(error) && !this.#shared.isStopped()) this.#logFailure(error);
    });
    this.#resolve(this.#response);
  }

  onResponseData(ofResponse: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#response?.push(piece) === false) ofResponse.pause();
  }

  onResponseEnd(): void {
    this.#response?.push(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#slowTimer);
    if (this.#response) this.#response.destroy(error);
    else this.#repeatOrReject(error);
  }

  #repeatOrReject(error: NodeJS.ErrnoException): void {
    if (this.#hasLeft) return;
    const { name, isStopped, replacePool } = this.#shared;
    const failure = failureOf(error);
    if (!isRead(this.#method) && hasBegun(failure)) this.#mayHaveTakenEffect = true;
    const isRepeatable = mayReachAnother(failure, error) || (failure === 'broken' && wasKeptAlive(error));
    if (isStopped() || !isRepeatable || this.#repeated.has(failure)) {
      if (!isStopped()) this.#logFailure(error);
      this.#reject(problemOf(failure, { name, mayHaveTakenEffect: this.#mayHaveTakenEffect, cause: error }));
      return;
    }
    this.#repeated.add(failure);
    replacePool(this.#pool);
    if (failure === 'broken') this.#attempt();
    else setTimeout(() => this.#attempt(), pauseAfterRefusalMs);
  }

  /** The client has left. */
  #leave(): void {
    this.#hasLeft = true;
    if (this.#response) this.#response.destroy();
    else this.#controller?.abort(new ClientLeft());
    this.#reject(new ClientLeft());
  }

  #logFailure({ name, code = name, message }: NodeJS.ErrnoException): void {
    this.#shared.log.warn(
      {
        callee: this.#shared.name,
        callId: this.#callId,
        method: this.#method,
        // Without the path, since an id in it opens a conversation.
        route: this.#route ?? this.#path.split('?')[0],
        code,
        reason: message,
        ms: Math.round(performance.now() - this.#startedAt),
      },
      'a call of another service failed',
    );
  }
}
