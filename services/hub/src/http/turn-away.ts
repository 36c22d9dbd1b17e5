import type { ServerResponse } from 'node:http';
import { Problem } from '@expert-relay/kit/problem';
import { type EndReason, farewellText } from '../stream/blocks.ts';
import { jitter } from '../stream/jitter.ts';
import { streamHeaders } from './take-over.ts';

/**
 * Refuses a stream for now. A browser's EventSource gives up for good on any status but 200, so whoever asks for
 * an event stream gets one that ends at once and says when to come again. Others get a plain 503.
 */
export function turnAway(response: ServerResponse, reason: EndReason, retry: number): void {
  const wait = jitter(retry);
  if (!response.req.headers.accept?.includes('text/event-stream')) {
    throw new Problem('unavailable', {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(wait / 1_000))) },
    });
  }
  response.writeHead(200, { ...streamHeaders, connection: 'close' });
  response.end(response.req.method === 'HEAD' ? undefined : farewellText(reason, wait));
}
