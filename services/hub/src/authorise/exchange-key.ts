import { topicsNotCovered } from '@expert-relay/contracts';
import type { Log } from '@expert-relay/kit/log';
import { Problem, unavailable } from '@expert-relay/kit/problem';
import { readText, type ServiceClient, type ServiceResponse } from '@expert-relay/kit/service-client';
import type { Grant, VerifyStreamToken } from './stream-token.ts';

const notChecked = 'The key cannot be checked at the moment; a stream token can.';

/** The call that requests a stream. */
export interface StreamCall {
  readonly network: string;
  readonly callId: string;
}

/**
 * Exchanges an API key for the content of a stream token. It is never cached, since each subscription checks that the key is
 * still valid.
 */
export type ExchangeKey = (
  apiKey: string,
  topics: readonly string[],
  call: StreamCall,
) => Promise<Grant | undefined>;

export function createKeyExchange(options: {
  requests: ServiceClient;
  verify: VerifyStreamToken;
  log: Log;
}): ExchangeKey {
  const { requests, verify, log } = options;

  async function requestToken(
    apiKey: string,
    topics: readonly string[],
    callId: string,
  ): Promise<ServiceResponse> {
    try {
      return await requests.call({
        method: 'POST',
        path: '/internal/stream-token',
        principal: { kind: 'hub' },
        callId,
        json: { apiKey, topics },
      });
    } catch {
      // The service client has logged the cause.
      throw unavailable(notChecked);
    }
  }

  return async (apiKey, topics, { callId }) => {
    const response = await requestToken(apiKey, topics, callId);
    const token = tokenIn(await readText(response).catch(() => ''));
    if (response.statusCode === 201 && token !== undefined) return verify(token);
    if (response.statusCode === 401) throw new Problem('unauthorized');
    if (response.statusCode === 403) throw notCovered();
    log.warn({ callId, status: response.statusCode }, 'the requests service gave no stream token');
    throw unavailable(notChecked);
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

export const notCovered = (): Problem => new Problem('forbidden', { detail: topicsNotCovered });
