import { createWriter, isOutage } from '@expert-relay/db';
import { createDatabase } from '@expert-relay/db/prisma';
import { systemClock } from '@expert-relay/kit/clock';
import { createHttpServer, serveRoutes } from '@expert-relay/kit/http';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createPrincipalVerifier, parsePrincipalKeys } from '@expert-relay/kit/principal';
import type { Config } from './config.ts';
import { routes } from './routes/index.ts';
import { createStreamTokenSigner } from './stream-tokens/sign-stream-token.ts';

export function create(config: Config, overrides: Overrides = {}): Service {
  const { clock = systemClock, log = createLog('requests', { level: config.process.logLevel }) } = overrides;
  const metrics = createMetrics('requests', { forProcess: overrides.log === undefined });
  const { database, outbox, keyUsage, parts } = createWriter({
    connect: createDatabase,
    service: 'requests',
    ...config,
    log,
    metrics,
  });

  const keysOf = (caller: keyof Config['principalKeys']) =>
    parsePrincipalKeys(`RELAY_PRINCIPAL_KEY_${caller.toUpperCase()}_REQUESTS`, config.principalKeys[caller]);
  const verify = createPrincipalVerifier({
    audience: 'requests',
    callers: {
      gateway: {
        keys: keysOf('gateway'),
        kinds: ['consumer', 'provider', 'nobody'],
      },
      dashboard: { keys: keysOf('dashboard'), kinds: ['session', 'signin'] },
      hub: { keys: keysOf('hub'), kinds: ['hub'] },
    },
    clock,
  });
  const context = {
    prisma: database.prisma,
    query: database.query,
    wakeOutbox: outbox.wake,
    log,
    signStreamToken: createStreamTokenSigner(config.streamTokenKey),
    conversationTtl: config.conversationTtl,
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
    name: 'requests',
    parts: [...parts, server],
    log,
    metrics,
    settings: config.process,
    server,
  });
}
