import { subjectsFor } from '@expert-relay/contracts';
import { createPostgres, isOutage } from '@expert-relay/db';
import { systemClock } from '@expert-relay/kit/clock';
import { createHttpServer, createWindowCounter, serveRoutes } from '@expert-relay/kit/http';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createNats, createStoredStream } from '@expert-relay/kit/nats';
import { createPrincipalVerifier, parsePrincipalKeys } from '@expert-relay/kit/principal';
import type { Config } from './config.ts';
import { Deliverer } from './deliveries/deliverer.ts';
import { createTargetSealer } from './endpoints/seal.ts';
import { createWebhooks } from './endpoints/webhooks.ts';
import { Reader } from './events/reader.ts';
import { createMaintenance } from './maintenance.ts';
import { createAddressRules } from './outbound/address-rules.ts';
import { createPost, type PostOptions } from './outbound/post.ts';
import { createResolve } from './outbound/resolve.ts';
import { createReports } from './reports.ts';
import { routes } from './routes/index.ts';

/** Tests and repetitions that a user may ask for in a minute. */
const testsPerMinute = 10;

export function create(
  config: Config,
  overrides: Overrides & { outbound?: Partial<PostOptions>; maintenanceMs?: number } = {},
): Service {
  const { clock = systemClock, log = createLog('notifier', { level: config.process.logLevel }) } = overrides;
  const metrics = createMetrics('notifier', { forProcess: overrides.log === undefined });
  const reports = createReports(metrics);
  const sealer = createTargetSealer(config.endpointKeys);
  const rules = createAddressRules(config.allowedNetworks);

  // The table of deliveries changes so much that a plan which is kept would be for another table.
  const database = createPostgres({ ...config.database, log, withoutPreparedStatements: true });
  const { query } = database;
  const nats = createNats({ ...config.nats, name: 'notifier', log });
  const { stream: name } = subjectsFor(config.nats.prefix);
  const stream = createStoredStream({ nats, stream: name, owner: 'notifier' });

  const post = createPost({ rules, resolve: createResolve(), ...overrides.outbound });
  const deliverer = new Deliverer({ database, sealer, post, clock, reports, log });
  const reader = new Reader({ query, nats, stream, reports, log, onInserted: () => deliverer.wake() });
  const intervalMs = overrides.maintenanceMs;
  const maintenance = createMaintenance({ query, sealer, reports, log, ...(intervalMs && { intervalMs }) });

  const keys = parsePrincipalKeys('RELAY_PRINCIPAL_KEY_GATEWAY_NOTIFIER', config.principalKeys.gateway);
  const handler = serveRoutes({
    routes: routes({
      query,
      webhooks: createWebhooks({ database, sealer }),
      rules,
      countTests: createWindowCounter({ limit: testsPerMinute, clock }),
      wakeReader: () => reader.wake(),
      wakeDeliverer: () => deliverer.wake(),
    }),
    verify: createPrincipalVerifier({
      audience: 'notifier',
      callers: { gateway: { keys, kinds: ['consumer', 'provider'] } },
      clock,
    }),
    log,
    metrics,
    maxLongAnswers: 0,
    isOutage,
  });
  const server = createHttpServer({ handler, host: config.process.host, port: config.port });

  const parts = [database, nats, deliverer, reader, maintenance, server];
  return composeService({ name: 'notifier', parts, log, metrics, settings: config.process, server });
}
