import { createRequire } from 'node:module';
import { createPostgres, findKey } from '@expert-relay/db';
import { systemClock } from '@expert-relay/kit/clock';
import type { KeysWithIds } from '@expert-relay/kit/config';
import { createHttpServer } from '@expert-relay/kit/http';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createNats } from '@expert-relay/kit/nats';
import { createServiceClient } from '@expert-relay/kit/service-client';
import { createTracing } from '@expert-relay/kit/tracing';
import { createApp } from './app.ts';
import type { UpstreamName } from './call/edge-call.ts';
import type { Config } from './config.ts';
import { createKeyCache } from './keys/create-key-cache.ts';
import { watchRevocations } from './keys/watch-revocations.ts';
import { securityHeaders } from './response-headers.ts';
import { createHealth } from './routes/get-health.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

export function create(
  config: Config,
  overrides: Overrides & {
    /** A connection without any traffic for this time is closed. */ stallTimeoutMs?: number;
    /** See `createHttpServer`. */ halfClosedReadMs?: number | undefined;
    /** See `createTransfers`. */ transferLimits?: { minRate?: number; graceMs?: number };
  } = {},
): Service {
  const { clock = systemClock, log = createLog('gateway', { level: config.process.logLevel }) } = overrides;
  const metrics = createMetrics('gateway', { forProcess: overrides.log === undefined });
  const tracing = createTracing('gateway', { settings: config.tracing, log });
  const postgres = createPostgres({ ...config.database, log });
  const nats = createNats({ ...config.nats, name: 'gateway', log });
  const keys = createKeyCache({
    lookUp: (key) => findKey(postgres.query, key),
    clock,
  });
  const revocations = watchRevocations({
    nats,
    prefix: config.nats.prefix,
    onRevoked: keys.forget,
    log,
  });

  const upstreams = {
    requests: createClient('requests', config.upstreams.requests, config.principalKeys.requests),
    messages: createClient('messages', config.upstreams.messages, config.principalKeys.messages),
    dashboard: createClient('dashboard', config.upstreams.dashboard, config.principalKeys.dashboard),
    notifier: createClient('notifier', config.upstreams.notifier, config.principalKeys.notifier),
  };
  // Without the notifier, conversations go on and notifications wait in Postgres: clients need not treat the relay as away.
  const health = createHealth({
    checks: {
      postgres: async () => (await postgres.query`SELECT 1`) !== undefined,
      requests: upstreams.requests.isReachable,
      messages: upstreams.messages.isReachable,
      dashboard: upstreams.dashboard.isReachable,
    },
    clock,
    log,
  });

  const server = createHttpServer({
    handler: createApp({
      ...overrides,
      config,
      keys,
      upstreams,
      health,
      version,
      clock,
      log,
      metrics,
      tracing,
    }),
    host: config.process.host,
    port: config.port,
    settings: { maxHeaderSize: 16_384 },
    connectionLimit: {
      ...config.connections,
      trustedProxies: config.trustedProxies,
      metrics,
    },
    halfClosedReadMs: overrides.halfClosedReadMs ?? 1_000,
    refusalHeaders: { ...securityHeaders, vary: 'Origin' },
    // Longer than the time for a whole request, so that a body that stops arriving is refused with 408 first.
    stallTimeoutMs: overrides.stallTimeoutMs ?? 65_000,
  });
  const parts = [tracing, postgres, nats, revocations, ...Object.values(upstreams), server];
  return composeService({
    name: 'gateway',
    parts,
    log,
    metrics,
    settings: config.process,
    staysReady: true,
    server,
  });

  function createClient(name: UpstreamName, url: string, keys: KeysWithIds) {
    return createServiceClient({ caller: 'gateway', name, url, keys, clock, log });
  }
}
