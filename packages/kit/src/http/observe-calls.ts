import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { Histogram } from 'prom-client';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../metrics/index.ts';

/** What a service stores in `response.locals` for the access line and the metric of a call. */
export interface CallLabels {
  /** The route's template, for routes that are not routes of Express. */
  route?: string;
  /** The kind of principal that calls. */
  caller?: string;
  /** Whether another service calls the route every few seconds; successful calls are logged at debug then. */
  isPolled?: boolean;
}

/** A call that was answered, or whose client left. It contains no body, key, cookie or query. */
export interface ObservedCall {
  readonly callId: string | undefined;
  readonly traceparent?: string | undefined;
  readonly method: string;
  /** The route's template; `none` where there is no route. */
  readonly route: string;
  readonly status: number;
  readonly caller: string;
  readonly ms: number;
  readonly isPolled?: boolean | undefined;
}

/** Writes one access line and one metric sample for each call. */
export function createCallRecorder(options: { log: Log; metrics: Metrics }): (call: ObservedCall) => void {
  const { log, metrics } = options;
  const seconds = new Histogram({
    name: 'relay_http_request_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status', 'caller'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });

  return ({ ms, isPolled, ...call }) => {
    const { method, route, status, caller } = call;
    seconds.observe({ method, route, status, caller }, ms / 1_000);
    log[isPolled && status < 300 ? 'debug' : 'info']({ ...call, ms: Math.round(ms * 10) / 10 }, 'call');
  };
}

/** Records each call of an Express app. */
export function observeCalls(options: { log: Log; metrics: Metrics }): RequestHandler {
  const record = createCallRecorder(options);

  return (request, response, next) => {
    const start = performance.now();
    response.once('close', () => {
      const {
        route = request.route?.path ?? 'none',
        caller = 'none',
        isPolled,
      } = response.locals as CallLabels;
      record({
        callId: request.get('x-request-id'),
        traceparent: request.get('traceparent'),
        method: request.method,
        route,
        status: answeredStatus(response),
        caller,
        ms: performance.now() - start,
        isPolled,
      });
    });
    next();
  };
}

/** The status of a response that has closed; 499 when the client left before the answer. */
export function answeredStatus(response: ServerResponse): number {
  // A refusal is short, so its client has seen the status even if it left before the last byte.
  const isAnswered = response.writableFinished || (response.headersSent && response.statusCode >= 400);
  return isAnswered ? response.statusCode : 499;
}
