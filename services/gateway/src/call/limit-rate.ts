import type { Clock } from '@expert-relay/kit/clock';
import { createWindowCounter, networkOf, type WindowState } from '@expert-relay/kit/http';
import { Counter, type Metrics } from '@expert-relay/kit/metrics';
import { Problem } from '@expert-relay/kit/problem';
import { type EdgeStep, type LimitName, limitNames } from './edge-call.ts';

/** An IPv6 /48 is one site with up to 65,536 networks that count as one client each. It gets this many limits. */
const clientsPerSite = 16;

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
    limitNames.filter((name) => limits[name] > 0).map((name) => [name, counterOf(limits[name])]),
  );
  /** Assets have no limit, but names of assets that do not exist count like pages. */
  const unknownAssets = limits.pages > 0 ? counterOf(limits.pages) : undefined;

  function counterOf(limit: number): (client: string, calls?: number) => WindowState {
    const perClient = createWindowCounter({ limit, clock });
    const perSite = createWindowCounter({ limit: limit * clientsPerSite, clock });
    return (client, calls) => {
      const own = perClient(networkOf(client), calls);
      if (!client.includes(':')) return own;
      const site = perSite(networkOf(client, 48), calls);
      return site.left < own.left ? site : own;
    };
  }

  function refuse(limit: string): never {
    refused.inc({ limit });
    throw new Problem('rate_limited', { headers: { 'retry-after': '60' } });
  }

  return (request, response, next) => {
    const { call } = response.locals;
    const name = call.route?.limit ?? (request.url.startsWith('/api/v1/') ? 'api' : 'pages');
    if (name === 'none') {
      if (unknownAssets && unknownAssets(call.client, 0).left <= 0) refuse('assets');
      response.once('finish', () => {
        if (response.statusCode === 404) unknownAssets?.(call.client);
      });
      next();
      return;
    }
    const count = counters.get(name);
    if (count) {
      const { left, rest } = count(call.client);
      // draft-ietf-httpapi-ratelimit-headers
      response.setHeader('ratelimit-policy', `"${name}";q=${limits[name]};w=60`);
      response.setHeader('ratelimit', `"${name}";r=${Math.max(left, 0)};t=${Math.ceil(rest / 1000)}`);
      if (left < 0) refuse(name);
    }
    next();
  };
}
