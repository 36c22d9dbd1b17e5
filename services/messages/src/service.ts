import { createPostgres, createWriter, isOutage } from '@expert-relay/db';
import { systemClock } from '@expert-relay/kit/clock';
import { createHttpServer, serveRoutes } from '@expert-relay/kit/http';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createPrincipalVerifier, parsePrincipalKeys } from '@expert-relay/kit/principal';
import type { Config } from './config.ts';
import { routes } from './routes/index.ts';

export function create(config: Config, overrides: Overrides = {}): Service {
  const { clock = systemClock, log = createLog('messages', { level: config.process.logLevel }) } = overrides;
  const metrics = createMetrics('messages', { forProcess: overrides.log === undefined });
  const { database, outbox, keyUsage, parts } = createWriter({
    connect: createPostgres,
    service: 'messages',
    ...config,
    log,
    metrics,
  });

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
    query: database.query,
    wakeOutbox: outbox.wake,
  };
  const handler = serveRoutes({
    routes: routes(context),
    verify,
    log,
    metrics,
    maxLongAnswers: config.maxLongAnswers,
    onCaller: keyUsage.note,
    isOutage,
  });
  const server = createHttpServer({ handler, host: config.process.host, port: config.port });

  return composeService({
    name: 'messages',
    parts: [...parts, server],
    log,
    metrics,
    settings: config.process,
    server,
  });
}
