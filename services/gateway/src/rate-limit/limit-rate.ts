import type { Clock } from '@expert-relay/kit/clock';
import { createWindowCounter, networkOf } from '@expert-relay/kit/http';
import { Counter, type Metrics } from '@expert-relay/kit/metrics';
import { Problem } from '@expert-relay/kit/problem';
import type { EdgeStep } from '../edge-call.ts';
import { type LimitName, limitNames } from './limit-name.ts';

/** Limits the calls of one client; 0 switches a limit off. */
export function limitRate(options: {
  limits: Readonly<Record<LimitName, number>>;
  clock: Clock;
  metrics: Metrics;
}): EdgeStep {
  const { limits, clock, metrics } = options;
  const refused = new Counter({
    name: 'relay_gateway_rate_limited_total',
    help: 'Calls refused because their address had used up a limit.',
    labelNames: ['limit'],
    registers: [metrics],
  });
  const counters = new Map(
    limitNames
      .filter((name) => limits[name] > 0)
      .map((name) => [name, createWindowCounter({ limit: limits[name], clock })]),
  );

  return (request, response, next) => {
    const { call } = response.locals;
    const name = call.route?.limit ?? (request.url.startsWith('/api/v1/') ? 'api' : 'pages');
    const count = name === 'none' ? undefined : counters.get(name);
    if (name === 'none' || !count) {
      next();
      return;
    }
    const { left, rest } = count(networkOf(call.client));
    // draft-ietf-httpapi-ratelimit-headers
    response.setHeader('ratelimit-policy', `"${name}";q=${limits[name]};w=60`);
    response.setHeader('ratelimit', `"${name}";r=${Math.max(left, 0)};t=${Math.ceil(rest / 1000)}`);
    if (left < 0) {
      refused.inc({ limit: name });
      throw new Problem('rate_limited', { headers: { 'retry-after': '60' } });
    }
    next();
  };
}
