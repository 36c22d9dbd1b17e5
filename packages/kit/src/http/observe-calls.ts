import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { Histogram } from 'prom-client';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { runInSpan } from '../tracing/current-span.ts';
import type { OpenSpan, Tracing } from '../tracing/index.ts';
import { createLineLevel, type LineLevel } from './create-line-level.ts';

/** What a service stores in `response.locals` for the access line and the metric of a call. */
export interface CallLabels {
  /** The route's template, for routes that are not routes of Express. */
  route?: string;
  /** The kind of principal that calls. */
  caller?: string;
  /** Its successful calls are logged at debug: other services make many. */
  isQuiet?: boolean;
  /** The address of the client, in a service that the public reaches. */
  client?: string;
  /** Anybody may make many such calls, so the number of their lines is limited. */
  limitsLines?: boolean;
  /** Whether its trace was begun by a caller who is not known yet. It is not recorded before `releaseSpan`. */
  isForeignTrace?: boolean;
}

/** A call that got a response, or whose client left. It contains no body, key, cookie or query. */
export interface ObservedCall {
  readonly callId: string | undefined;
  readonly traceparent?: string | undefined;
  readonly method: string;
  /** The route's template; `none` where there is no route. */
  readonly route: string;
  readonly status: number;
  readonly caller: string;
  readonly ms: number;
  readonly isQuiet?: boolean | undefined;
  /** Not written. */
  readonly client?: string | undefined;
  readonly limitsLines?: boolean | undefined;
}

/** Writes one access line and one metric sample for each call. */
export function createCallRecorder(options: {
  log: Log;
  metrics: Metrics;
  lineLevel?: LineLevel;
}): (call: ObservedCall) => void {
  const { log, metrics, lineLevel = createLineLevel() } = options;
  const seconds = new Histogram({
    name: 'relay_http_request_seconds',
    help: 'Time from the head of a request to the end of its response.',
    labelNames: ['method', 'route', 'status', 'caller'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });

  return ({ ms, isQuiet, client, limitsLines, ...call }) => {
    const { method, route, status, caller } = call;
    seconds.observe({ method, route, status, caller }, ms / 1_000);
    const isUnbounded = client !== undefined && (limitsLines || isRefused(status));
    const level = isUnbounded ? lineLevel(client) : isQuiet && status < 300 ? 'debug' : 'info';
    log[level]({ ...call, ms: Math.round(ms * 10) / 10 }, 'call');
  };
}

const isRefused = (status: number): boolean => status >= 400 && status < 500;

/** Records each call of an Express app. While tracing is on, the call is a span, and `traceparent` names it from here on. */
export function observeCalls(options: {
  log: Log;
  metrics: Metrics;
  tracing?: Tracing | undefined;
  lineLevel?: LineLevel;
}): RequestHandler {
  const { tracing } = options;
  const record = createCallRecorder(options);

  return (request, response, next) => {
    const start = performance.now();
    const { method } = request;
    const parent = request.get('traceparent');
    const { isForeignTrace: isHeld } = response.locals as CallLabels;
    const span = tracing?.startSpan({ name: method, kind: 'server', parent, isHeld });
    if (span) request.headers.traceparent = span.traceparent;
    response.once('close', () => {
      const {
        route = request.route?.path ?? 'none',
        caller = 'none',
        isQuiet,
        client,
        limitsLines,
      } = response.locals as CallLabels;
      const call = {
        callId: request.get('x-request-id'),
        traceparent: request.get('traceparent'),
        method,
        route,
        status: finalStatus(response),
        caller,
        ms: performance.now() - start,
        isQuiet,
        client,
        limitsLines,
      };
      record(call);
      if (span) endSpan(span, call);
    });
    if (tracing && span) runInSpan({ span, tracing }, next);
    else next();
  };
}

function endSpan(span: OpenSpan, { callId = '', method, route, status, caller }: ObservedCall): void {
  span.end({
    name: `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'relay.caller': caller,
      'relay.call_id': callId,
    },
    hasFailed: status >= 500,
  });
}

/** The status of a response that has closed; 499 when the client left before the response. */
export function finalStatus(response: ServerResponse): number {
  // A refusal is short, so its client has seen the status even if it left before the last byte.
  const hasResponse = response.writableFinished || (response.headersSent && response.statusCode >= 400);
  return hasResponse ? response.statusCode : 499;
}
