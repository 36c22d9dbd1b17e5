import type { ServerResponse } from 'node:http';
import { Problem } from '@expert-relay/kit/problem';
import { farewellText } from '../stream/blocks.ts';
import { jitter } from '../stream/jitter.ts';
import type { TurnAwayReason } from '../turned-away.ts';
import { streamHeaders } from './take-over.ts';

/** Milliseconds until a client should reconnect: usually, and after a cap or limit is reached. */
export interface RetryTimes {
  readonly retry: number;
  readonly busyRetry: number;
}

/**
 * A browser's EventSource gives up for good on any status but 200, so a client that accepts an event stream gets one
 * that ends at once and says when to reconnect. Others get a problem.
 */
export function turnAway(response: ServerResponse, reason: TurnAwayReason, times: RetryTimes): void {
  const isLong = reason === 'too_many_streams' || reason === 'too_many_failures';
  const wait = jitter(isLong ? times.busyRetry : times.retry);
  if (!response.req.headers.accept?.includes('text/event-stream')) {
    if (reason === 'too_many_failures') throw new Problem('rate_limited', failures);
    throw new Problem('unavailable', {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(wait / 1_000))) },
    });
  }
  response.writeHead(200, { ...streamHeaders, connection: 'close' });
  response.end(response.req.method === 'HEAD' ? undefined : farewellText(reason, wait));
}

const failures = {
  detail:
    'Too many calls from this address were refused. Check the key or token, and wait for `Retry-After`.',
  headers: { 'retry-after': '60' },
};
