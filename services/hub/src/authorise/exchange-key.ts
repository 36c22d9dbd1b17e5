import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseApiKey } from '@expert-relay/kit/api-key';
import type { Log } from '@expert-relay/kit/log';
import { Problem } from '@expert-relay/kit/problem';
import type { ServiceClient } from '@expert-relay/kit/service-client';

/** Gives a stream token for an API key. Never kept: every subscription asks anew whether the key is still good. */
export type ExchangeKey = (apiKey: string, topics: readonly string[]) => Promise<string>;

export function createKeyExchange({ requests, log }: { requests: ServiceClient; log: Log }): ExchangeKey {
  async function ask(apiKey: string, topics: readonly string[]): Promise<IncomingMessage> {
    try {
      return await requests.call({
        method: 'POST',
        path: '/internal/stream-token',
        principal: { kind: 'hub' },
        callId: randomUUID(),
        body: Buffer.from(JSON.stringify({ apiKey, topics })),
      });
    } catch {
      // The service client has logged the cause.
      throw away();
    }
  }

  return async (apiKey, topics) => {
    // A mistyped key is refused without asking anybody.
    if (!parseApiKey(apiKey)) throw new Problem('unauthorized');
    const answer = await ask(apiKey, topics);
    const token = tokenIn(await text(answer).catch(() => ''));
    if (answer.statusCode === 201 && token !== undefined) return token;
    if (answer.statusCode === 401) throw new Problem('unauthorized');
    if (answer.statusCode === 403) throw notCovered();
    log.warn({ status: answer.statusCode }, 'the requests service gave no stream token');
    throw away();
  };
}

function tokenIn(body: string): string | undefined {
  try {
    const { token } = JSON.parse(body);
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}

const away = () =>
  new Problem('unavailable', {
    detail: 'The key cannot be checked at the moment. Try again, or connect with a stream token.',
    headers: { 'retry-after': '2' },
  });

export const notCovered = (): Problem =>
  new Problem('forbidden', {
    detail: 'This credential does not cover every topic. See GET /api/v1/whoami for the topics of a key.',
  });
