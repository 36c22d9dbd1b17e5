import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from '../clock/index.ts';
import type { KeysWithIds } from '../config/index.ts';
import { ClientLeft, isRead } from '../http/index.ts';
import type { Log } from '../log/index.ts';
import type { Part } from '../part/index.ts';
import { createPrincipalSigner, type Principal, principalHeader } from '../principal/index.ts';
import { currentTraceparent } from '../tracing/current-span.ts';
import { createPool } from './create-pool.ts';
import { type Failure, failureOf, hasBegun, mayReachAnother, problemOf } from './failures.ts';
import { answerTooLarge } from './read-answer.ts';

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

/** Calls another service over kept-alive connections, with a principal that this service signs. */
export interface ServiceClient extends Part {
  /**
   * Resolves with the head of the answer, whatever its status. Throws a `Problem` when there is no answer, and logs the
   * cause.
   *
   * A call is repeated when a kept-alive connection broke before the answer began, when a new connection was refused, and
   * when it was not made in time, once for each of the three: one of two instances may be restarting or gone. `callId` makes it
   * safe. Nothing else is repeated.
   */
  call(call: ServiceCall): Promise<IncomingMessage>;
  /** Whether the service answers, with any status. */
  isReachable(): Promise<boolean>;
}

const pauseAfterRefusalMs = 100;
/** Where a network drops packets, as at a Service without pods, a connection is neither made nor refused. */
const connectTimeoutMs = 1_500;
/** An instance that is silent for this long may be frozen. Kept-alive connections lead to it after others answer in its place. */
const slowMs = 2_000;
const probeTimeoutMs = 1_500;

export function createServiceClient(options: {
  /** The service that calls. */
  caller: string;
  name: string;
  url: string;
  keys: KeysWithIds;
  clock: Clock;
  log: Log;
  /** How long an attempt waits for the head of the answer, and then for each further part of it. */
  timeoutMs?: number;
}): ServiceClient {
  const { caller, name, url, keys, clock, log, timeoutMs = 30_000 } = options;
  const sign = createPrincipalSigner({ caller, audience: name, keys, clock });
  const pool = createPool(url);
  let idleClosedAt = -slowMs;
  /** Ends each call whose answer is not complete. */
  const running = new Set<() => void>();

  function send(call: ServiceCall): Promise<IncomingMessage> {
    const {
      method,
      path,
      route = path.split('?')[0],
      principal,
      callId,
      json,
      headers = {},
      response,
    } = call;
    // A closed response emits no further `close`.
    if (response?.closed) return Promise.reject(new ClientLeft());
    /** Until the answer begins, since the call may be repeated. No closure holds `call`, which has the body too. */
    let body = json === undefined ? call.body : Buffer.from(JSON.stringify(json));
    // Without the path, since an id in it opens a conversation.
    const labels = { callee: name, callId, method, route };
    if (json !== undefined) headers['content-type'] = 'application/json';
    if (body) headers['content-length'] = body.length;
    headers['x-request-id'] = callId;
    const traceparent = currentTraceparent();
    if (traceparent !== undefined) headers.traceparent = traceparent;
    const startedAt = performance.now();

    return new Promise((resolve, reject) => {
      const repeated = new Set<Failure>();
      let mayHaveTakenEffect = false;
      /** Cancels the current step: an attempt, the pause before the next one, or reading the answer. */
      let cancel = () => {};

      function end(reason: Error): void {
        running.delete(endAtStop);
        cancel();
        reject(reason);
      }

      const endAtStop = () => end(problemOf('broken', { name, mayHaveTakenEffect: !isRead(method) }));

      function attempt(onNewConnection: boolean): void {
        headers[principalHeader] = sign({ principal, method, path, callId, body });
        const outgoing = pool.open({ method, path, headers }, { onNewConnection });
        cancel = awaitAnswer(outgoing, timeoutMs, { onAnswer, onFailure, onSlow });
        outgoing.end(body);
      }

      function onAnswer(answer: IncomingMessage): void {
        body = undefined;
        cancel = () => answer.destroy();
        const stopWatching = limitSilence(answer, timeoutMs);
        answer.once('close', () => {
          running.delete(endAtStop);
          stopWatching();
          const error = answer.errored as NodeJS.ErrnoException | null;
          if (error && bodyFailures.has(error.code)) logFailure(labels, error, startedAt);
        });
        resolve(answer);
      }

      function onFailure(error: NodeJS.ErrnoException, wasKeptAlive: boolean): void {
        const failure = failureOf(error);
        if (!isRead(method) && hasBegun(failure)) mayHaveTakenEffect = true;
        const isRepeatable = mayReachAnother(failure, error) || (failure === 'broken' && wasKeptAlive);
        if (!isRepeatable || repeated.has(failure)) {
          logFailure(labels, error, startedAt);
          end(problemOf(failure, { name, mayHaveTakenEffect, cause: error }));
          return;
        }
        repeated.add(failure);
        if (failure === 'broken') attempt(true);
        else {
          const timer = setTimeout(attempt, pauseAfterRefusalMs, true);
          cancel = () => clearTimeout(timer);
        }
      }

      response?.once('close', () => {
        if (!response.writableFinished) end(new ClientLeft());
      });
      running.add(endAtStop);
      attempt(false);
    });
  }

  function onSlow(): void {
    const now = performance.now();
    if (now - idleClosedAt < slowMs) return;
    idleClosedAt = now;
    pool.closeIdle();
  }

  function logFailure(labels: object, error: NodeJS.ErrnoException, startedAt: number): void {
    const ms = Math.round(performance.now() - startedAt);
    log.warn({ ...labels, code: error.code, reason: error.message, ms }, 'a call of another service failed');
  }

  function isReachable(): Promise<boolean> {
    return new Promise((resolve) => {
      const probe = pool.open({ method: 'HEAD', path: '/', headers: {} }, { onNewConnection: false });
      const timer = setTimeout(() => probe.destroy(), probeTimeoutMs);
      probe.once('response', (answer) => {
        answer.resume();
        resolve(true);
      });
      probe.once('error', () => {});
      probe.once('close', () => {
        clearTimeout(timer);
        resolve(false);
      });
      probe.end();
    });
  }

  return {
    name: `${name} client`,
    call: send,
    isReachable,
    async stop() {
      for (const endAtStop of running) endAtStop();
      pool.close();
    },
  };
}

/** Calls one callback, with the head of the answer or with an error. Returns a function that ends the request without it. */
function awaitAnswer(
  outgoing: ClientRequest,
  timeoutMs: number,
  callback: {
    onAnswer(answer: IncomingMessage): void;
    onFailure(error: NodeJS.ErrnoException, wasKeptAlive: boolean): void;
    /** The connection is there, and no answer for a while. */
    onSlow(): void;
  },
): () => void {
  const timer = setTimeout(() => fail(timeoutError('no answer', timeoutMs)), timeoutMs);
  /** Of the connection first, then of the first byte. */
  let shortTimer: NodeJS.Timeout | undefined;
  let isOver = false;

  function end(): void {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(shortTimer);
  }

  function onConnected(): void {
    clearTimeout(shortTimer);
    if (!isOver) shortTimer = setTimeout(callback.onSlow, slowMs);
  }

  outgoing.once('socket', (socket) => {
    if (!socket.connecting) return onConnected();
    const tooLate = () =>
      fail(Object.assign(timeoutError('no connection', connectTimeoutMs), { syscall: 'connect' }));
    if (!isOver) shortTimer = setTimeout(tooLate, connectTimeoutMs);
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', onConnected);
  });

  function fail(error: NodeJS.ErrnoException): void {
    if (isOver) return;
    end();
    outgoing.destroy();
    callback.onFailure(error, outgoing.reusedSocket);
  }

  outgoing.once('response', (answer) => {
    if (isOver) return;
    end();
    callback.onAnswer(answer);
  });
  outgoing.on('error', fail);
  outgoing.once('close', () => {
    // Each answered call comes here too, so the error is made only when it is needed.
    if (!isOver) fail(hangUpError());
  });
  return () => {
    if (isOver) return;
    end();
    outgoing.destroy();
  };
}

/**
 * Ends an answer of which nothing has arrived for this time, or for up to twice as long. A reader that does not take what has
 * arrived may be as slow as it is.
 */
function limitSilence(answer: IncomingMessage, timeoutMs: number): () => void {
  let seenBytes = answer.socket.bytesRead;
  const timer = setInterval(() => {
    const { bytesRead } = answer.socket;
    const isSilent = bytesRead === seenBytes && answer.readableLength === 0 && !answer.complete;
    if (isSilent) answer.destroy(timeoutError('nothing more', timeoutMs));
    seenBytes = bytesRead;
  }, timeoutMs);
  return () => clearInterval(timer);
}

/** An answer that this process destroys because its own client has left has no error, or another one. */
const bodyFailures = new Set<string | undefined>(['ECONNRESET', 'ETIMEDOUT', answerTooLarge]);

const timeoutError = (what: string, ms: number): Error =>
  Object.assign(new Error(`${what} within ${ms} ms`), { code: 'ETIMEDOUT' });

const hangUpError = (): Error => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
