import { createDatabase, createKeyUsage, createOutboxRelay } from '@expert-relay/db';
import { systemClock } from '@expert-relay/kit/clock';
import { createHttpServer, serveRoutes } from '@expert-relay/kit/http';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createNats } from '@expert-relay/kit/nats';
import { createPrincipalVerifier, parsePrincipalKeys } from '@expert-relay/kit/principal';
import type { Config } from './config.ts';
import { routes } from './routes/index.ts';

export function create(config: Config, overrides: Overrides = {}): Service {
  const { clock = systemClock, log = createLog('messages', { level: config.process.logLevel }) } = overrides;
  const metrics = createMetrics('messages', { forProcess: overrides.log === undefined });
  const database = createDatabase({ ...config.database, log });
  const nats = createNats({ url: config.nats.url, name: 'messages', log });
  const outbox = createOutboxRelay({
    directUrl: config.database.directUrl ?? config.database.url,
    nats,
    prefix: config.nats.prefix,
    log,
    metrics,
  });
  const keyUsage = createKeyUsage({ prisma: database.prisma, log });

  const keysOf = (caller: keyof Config['principalKeys']) =>
    parsePrincipalKeys(`RELAY_PRINCIPAL_KEY_${caller.toUpperCase()}_MESSAGES`, config.principalKeys[caller]);
  const verify = createPrincipalVerifier({
    audience: 'messages',
    callers: {
      gateway: { keys: keysOf('gateway'), kinds: ['consumer', 'provider'] },
      dashboard: { keys: keysOf('dashboard'), kinds: ['session'] },
    },
    clock,
  });
  const context = {
    prisma: database.prisma,
    query: database.query,
    nudge: outbox.nudge,
  };
  const handler = serveRoutes({ routes: routes(context), verify, log, metrics, onCaller: keyUsage.note });
  const server = createHttpServer({ handler, host: config.process.host, port: config.port });

  const parts = [database, keyUsage, nats, outbox, server];
  return composeService({ name: 'messages', parts, log, metrics, settings: config.process, server });
}
