import type { Clock } from '@expert-relay/kit/clock';
import { createWindowCounter, networkOf, type WindowCounter } from '@expert-relay/kit/http';
import { Counter, type Metrics } from '@expert-relay/kit/metrics';
import { Problem } from '@expert-relay/kit/problem';
import { type EdgeStep, type LimitName, limitNames } from './edge-call.ts';

/** A site (IPv6 /48) can have 65,536 networks, each of which counts as a client. It may make as many calls as 16 clients. */
const clientsPerSite = 16;

/** Limits the calls of a client in a minute; 0 switches a limit off. */
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
      .map((name) => [name, createCallCounter(limits[name], clock)]),
  );
  /** Calls for assets are not limited, except those for assets that do not exist: these have the limit of pages. */
  const countUnknownAsset = limits.pages > 0 ? createCallCounter(limits.pages, clock) : undefined;

  function refuse(limit: string): never {
    refused.inc({ limit });
    throw new Problem('rate_limited', { headers: { 'retry-after': '60' } });
  }

  return (request, response, next) => {
    const { call } = response.locals;
    const name = call.route?.limit ?? (request.url.startsWith('/api/v1/') ? 'api' : 'pages');
    if (name === 'none') {
      if (countUnknownAsset && countUnknownAsset(call.client, 0).left <= 0) refuse('assets');
      response.once('finish', () => {
        if (response.statusCode === 404) countUnknownAsset?.(call.client);
      });
      next();
      return;
    }
    const count = counters.get(name);
    if (count) {
      const { left, endsInMs } = count(call.client);
      // draft-ietf-httpapi-ratelimit-headers
      response.setHeader('ratelimit-policy', `"${name}";q=${limits[name]};w=60`);
      response.setHeader('ratelimit', `"${name}";r=${Math.max(left, 0)};t=${Math.ceil(endsInMs / 1_000)}`);
      if (left < 0) refuse(name);
    }
    next();
  };
}

/** Counts for the client, and for its site if it has an IPv6 address. Returns the window with fewer calls left. */
function createCallCounter(limit: number, clock: Clock): WindowCounter {
  const countForClient = createWindowCounter({ limit, clock });
  const countForSite = createWindowCounter({ limit: limit * clientsPerSite, clock });

  return (client, calls) => {
    const clientWindow = countForClient(networkOf(client), calls);
    if (!client.includes(':')) return clientWindow;
    const siteWindow = countForSite(networkOf(client, 48), calls);
    return siteWindow.left < clientWindow.left ? siteWindow : clientWindow;
  };
}
