import { systemClock } from '@expert-relay/kit/clock';
import { bareApp, createHttpServer, handleErrors, observeCalls } from '@expert-relay/kit/http';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import {
  createPrincipalGuard,
  createPrincipalSigner,
  createPrincipalVerifier,
  parsePrincipalKeys,
} from '@expert-relay/kit/principal';
import { Problem } from '@expert-relay/kit/problem';
import { createRedis } from '@expert-relay/kit/redis';
import { createServiceClient } from '@expert-relay/kit/service-client';
import type { Config } from './config.ts';
import { requireOwnHost } from './cross-site/require-own-host.ts';
import { requireSameOrigin } from './cross-site/require-same-origin.ts';
import { requireGatewayPrincipal } from './require-gateway-principal.ts';
import { mountRoutes } from './routes/index.ts';
import { createSession } from './session/create-session.ts';

export function create(config: Config, overrides: Overrides = {}): Service {
  const { clock = systemClock, log = createLog('dashboard', { level: config.process.logLevel }) } = overrides;
  const metrics = createMetrics('dashboard', { forProcess: overrides.log === undefined });
  const redis = createRedis({ url: config.redis.url, name: 'dashboard', whileAway: 'fail', log });
  const requests = clientOf('requests');
  const messages = clientOf('messages');

  const app = bareApp();
  app.use(observeCalls({ log, metrics }));
  const verify = createPrincipalVerifier({ audience: 'dashboard', callers: { gateway: gateway() }, clock });
  app.use(requireGatewayPrincipal(createPrincipalGuard({ verify, log, metrics, clock })));
  app.use(requireOwnHost(config.publicUrl));
  app.use(requireSameOrigin(config.publicUrl));
  app.use(
    createSession({ ...config.session, redis, prefix: config.redis.prefix, publicUrl: config.publicUrl }),
  );
  mountRoutes(app, {
    services: { requests, messages },
    devLogin: config.devLogin,
    hubUrl: config.hubPublicUrl,
  });
  app.use(() => {
    throw new Problem('not_found');
  });
  // What fails while Redis is away is a call that it left in the middle.
  app.use(handleErrors(log, { isOutage: () => !redis.connected }));

  const server = createHttpServer({ handler: app, host: config.process.host, port: config.port });
  const parts = [redis, requests, messages, server];
  return composeService({ name: 'dashboard', parts, log, metrics, settings: config.process, server });

  function gateway() {
    const keys = parsePrincipalKeys('RELAY_PRINCIPAL_KEY_GATEWAY_DASHBOARD', config.principalKeys.gateway);
    return { keys, kinds: ['nobody'] as const };
  }

  function clientOf(name: 'requests' | 'messages') {
    const variable = `RELAY_PRINCIPAL_KEY_DASHBOARD_${name.toUpperCase()}`;
    const keys = parsePrincipalKeys(variable, config.principalKeys[name]);
    const sign = createPrincipalSigner({ caller: 'dashboard', audience: name, keys, clock });
    return createServiceClient({ name, url: config.upstreams[name], sign, log });
  }
}
