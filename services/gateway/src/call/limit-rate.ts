import { type ParsedApiKey, parseApiKey } from '@expert-relay/kit/api-key';
import type { Clock } from '@expert-relay/kit/clock';
import { createWindowCounter, networkOf, type WindowState } from '@expert-relay/kit/http';
import { Counter, type Metrics } from '@expert-relay/kit/metrics';
import { Problem } from '@expert-relay/kit/problem';
import type { Request } from 'express';
import { type EdgeResponse, type EdgeStep, type LimitName, limitNames } from './edge-call.ts';

/**
 * Limits the calls of a client in a minute; 0 switches a limit off. With a limit for keys, a call with a valid key counts for its
 * key instead of its address. The step `byAddress` is before the check of keys and counts for the address, unless the key was valid
 * in the last minutes. `byKey` is after it, and takes that back when the key is valid.
 */
export function limitRate(options: {
  limits: Readonly<Record<LimitName | 'key', number>>;
  /** The id of a key that was valid in the last minutes. */
  recallKey: (key: ParsedApiKey) => { readonly apiKeyId: string } | undefined;
  clock: Clock;
  metrics: Metrics;
}): { readonly byAddress: EdgeStep; readonly byKey: EdgeStep } {
  const { limits, recallKey, clock, metrics } = options;
  const refused = new Counter({
    name: 'relay_gateway_rate_limited_total',
    help: 'Calls refused because their address or key had used up a limit.',
    labelNames: ['limit'],
    registers: [metrics],
  });
  const counters = new Map(
    limitNames
      .filter((name) => limits[name] > 0)
      .map((name) => [name, createWindowCounter({ limit: limits[name], clock })]),
  );
  const countForKey = limits.key > 0 ? createWindowCounter({ limit: limits.key, clock }) : undefined;

  function limit(response: EdgeResponse, name: LimitName | 'key', { left, endsInMs }: WindowState): void {
    // draft-ietf-httpapi-ratelimit-headers
    response.setHeader('ratelimit-policy', `"${name}";q=${limits[name]};w=60`);
    response.setHeader('ratelimit', `"${name}";r=${Math.max(left, 0)};t=${Math.ceil(endsInMs / 1_000)}`);
    if (left >= 0) return;
    refused.inc({ limit: name });
    throw new Problem('rate_limited', { headers: { 'retry-after': '60' } });
  }

  /** A key that was valid a moment ago, in the header: the SDKs send it there also with a submit. */
  function recallPresented({ headers }: Request): string | undefined {
    const key = parseApiKey(headers['x-api-key']?.toString() ?? '');
    return key && recallKey(key)?.apiKeyId;
  }

  return {
    byAddress(request, response, next) {
      const { call } = response.locals;
      const name = call.route?.limit ?? (request.url.startsWith('/api/v1/') ? 'api' : 'pages');
      if (name === 'none') {
        next();
        return;
      }
      const count = counters.get(name);
      const network = networkOf(call.client);
      const apiKeyId = countForKey && call.route?.key && recallPresented(request);
      if (countForKey && apiKeyId) {
        // Others at its address must not use up what this key may do. A refusal, of another key in the body, counts for both.
        limit(response, 'key', countForKey(apiKeyId));
        call.countedKey = apiKeyId;
        response.once('finish', () => {
          if (response.statusCode === 401) count?.(network);
        });
      } else if (count) {
        const window = count(network);
        limit(response, name, window);
        if (countForKey) {
          const endsAt = clock.now() + window.endsInMs;
          call.uncountAddress = () => void (clock.now() < endsAt && count(network, -1));
        }
      }
      next();
    },
    byKey(_request, response, next) {
      const { call } = response.locals;
      const { principal, countedKey } = call;
      if (countForKey && principal && 'apiKeyId' in principal && principal.apiKeyId !== countedKey) {
        call.uncountAddress?.();
        limit(response, 'key', countForKey(principal.apiKeyId));
      }
      next();
    },
  };
}
