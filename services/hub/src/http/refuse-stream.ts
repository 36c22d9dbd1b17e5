import type { ServerResponse } from 'node:http';
import { Problem } from '@expert-relay/kit/problem';
import { endBlock, jitter, type RefusalReason } from '../events/encode.ts';
import { streamHeaders } from './detachable-socket.ts';

/** Thrown when a stream is not opened now; the client should try again later. */
export class StreamRefused extends Error {
  override readonly name = 'StreamRefused';
  readonly reason: RefusalReason;
  /** The label of the metric: the cap that was reached, or the reason. */
  readonly label: string;

  constructor(reason: RefusalReason, label: string = reason) {
    super(`the stream is refused: ${reason}`);
    this.reason = reason;
    this.label = label;
  }
}

/** Milliseconds until a client should reconnect: usually, and after a cap or limit is reached. */
export interface RetryTimes {
  readonly retry: number;
  readonly busyRetry: number;
}

/**
 * A browser's EventSource never reconnects after a status other than 200, so a client that accepts an event stream gets
 * one that ends at once and says when to reconnect. Other clients get a problem.
 */
export function refuseStream(response: ServerResponse, reason: RefusalReason, times: RetryTimes): void {
  const isLimit = reason === 'too_many_streams' || reason === 'too_many_failures';
  const retryMs = jitter(isLimit ? times.busyRetry : times.retry);
  if (!response.req.headers.accept?.includes('text/event-stream')) {
    if (reason === 'too_many_failures') throw new Problem('rate_limited', tooManyFailures);
    throw new Problem('unavailable', {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(retryMs / 1_000))) },
    });
  }
  response.writeHead(200, { ...streamHeaders, connection: 'close' });
  response.end(response.req.method === 'HEAD' ? undefined : endBlock(reason, retryMs));
}

const tooManyFailures = {
  detail:
    'Too many calls from this address were refused. Check the key or token, and wait for `Retry-After`.',
  headers: { 'retry-after': '60' },
};
