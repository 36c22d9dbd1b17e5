import type { RequestHandler } from 'express';
import { Histogram } from 'prom-client';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../metrics/index.ts';

/** What a service notes about a call in `response.locals` for its access line and measurement. */
export interface CallLabels {
  /** The route's template, where Express does not know it. */
  route?: string;
  /** The kind of principal that calls. */
  caller?: string;
}

/** One access line and one measurement for each call; never a body, key, cookie or query. */
export function observeCalls({ log, metrics }: { log: Log; metrics: Metrics }): RequestHandler {
  const seconds = new Histogram({
    name: 'relay_http_request_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status', 'caller'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });

  return (request, response, next) => {
    const start = performance.now();
    response.once('close', () => {
      const { route = request.route?.path ?? 'none', caller = 'none' } = response.locals as CallLabels;
      // A refusal is short: whoever hangs up on the last of it has seen it.
      const isAnswered = response.writableFinished || (response.headersSent && response.statusCode >= 400);
      const status = isAnswered ? response.statusCode : 499;
      const duration = performance.now() - start;
      seconds.observe({ method: request.method, route, status, caller }, duration / 1000);
      log.info(
        {
          requestId: request.get('x-request-id'),
          traceparent: request.get('traceparent'),
          method: request.method,
          route,
          status,
          caller,
          ms: Math.round(duration * 10) / 10,
        },
        'call',
      );
    });
    next();
  };
}
