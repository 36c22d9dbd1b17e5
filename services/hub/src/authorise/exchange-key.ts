import { randomUUID } from 'node:crypto';
import { parseApiKey } from '@expert-relay/kit/api-key';
import type { Log } from '@expert-relay/kit/log';
import { type PrincipalSigner, principalHeader } from '@expert-relay/kit/principal';
import { Problem } from '@expert-relay/kit/problem';

/** Gives a stream token for an API key. Never kept: every subscription asks anew whether the key is still good. */
export type ExchangeKey = (apiKey: string, topics: readonly string[]) => Promise<string>;

const path = '/internal/stream-token';
const patience = 2_500;

export function createKeyExchange(options: {
  requestsUrl: string;
  sign: PrincipalSigner;
  log: Log;
}): ExchangeKey {
  const { sign, log } = options;
  const url = new URL(path, options.requestsUrl);

  const call = (apiKey: string, topics: readonly string[]) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [principalHeader]: sign({ principal: { kind: 'hub' }, method: 'POST', path, callId: randomUUID() }),
      },
      body: JSON.stringify({ apiKey, topics }),
      signal: AbortSignal.timeout(patience),
    });

  /** Once more after a failure: a kept connection may have been closed by the other side, and asking twice does no harm. */
  const reach = async (apiKey: string, topics: readonly string[]): Promise<Response> => {
    try {
      return await call(apiKey, topics).catch(() => call(apiKey, topics));
    } catch (error) {
      const { message, cause } = error as Error;
      log.warn({ reason: String(cause ?? message) }, 'the requests service cannot be reached');
      throw away();
    }
  };

  return async (apiKey, topics) => {
    // A mistyped key is refused without asking anybody.
    if (!parseApiKey(apiKey)) throw new Problem('unauthorized');
    const answer = await reach(apiKey, topics);
    const body = (await answer.json().catch(() => ({}))) as { token?: unknown };
    if (answer.status === 201 && typeof body.token === 'string') return body.token;
    if (answer.status === 401) throw new Problem('unauthorized');
    if (answer.status === 403) throw notCovered();
    log.warn({ status: answer.status }, 'the requests service gave no stream token');
    throw away();
  };
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
