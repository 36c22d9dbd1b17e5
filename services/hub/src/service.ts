import { systemClock } from '@expert-relay/kit/clock';
import { siteOrigins } from '@expert-relay/kit/config';
import { createClientAddress, createHttpServer } from '@expert-relay/kit/http';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createNats } from '@expert-relay/kit/nats';
import { createPrincipalSigner, parsePrincipalKeys } from '@expert-relay/kit/principal';
import { createServiceClient } from '@expert-relay/kit/service-client';
import { createAuthorise } from './authorise/authorise.ts';
import { createKeyExchange } from './authorise/exchange-key.ts';
import { parseStreamTokenKeys } from './authorise/stream-token-keys.ts';
import { createStreamTokenVerifier } from './authorise/verify-stream-token.ts';
import type { Config } from './config.ts';
import { createCommonHeaders } from './http/common-headers.ts';
import { createHandler } from './http/create-handler.ts';
import { createTakeOver } from './http/take-over.ts';
import { createHub } from './hub.ts';
import { createStreamEvents } from './routes/stream-events.ts';

export function create(config: Config, overrides: Overrides = {}): Service {
  const { clock = systemClock, log = createLog('hub', { level: config.process.logLevel }) } = overrides;
  const metrics = createMetrics('hub', { forProcess: overrides.log === undefined });
  const nats = createNats({ ...config.nats, name: 'hub', log });
  const hub = createHub({ config, nats, clock, log, metrics });

  const sign = createPrincipalSigner({
    caller: 'hub',
    audience: 'requests',
    keys: parsePrincipalKeys('RELAY_PRINCIPAL_KEY_HUB_REQUESTS', config.principalKey),
    clock,
  });
  const requests = createServiceClient({
    name: 'requests',
    url: config.requestsUrl,
    sign,
    log,
    headLimit: 2_500,
  });
  const authorise = createAuthorise({
    requireAuth: config.requireAuth,
    verify: createStreamTokenVerifier({ keys: parseStreamTokenKeys(config.streamTokenKeys), clock }),
    exchange: createKeyExchange({ requests, log }),
    revocations: hub.revocations,
  });
  const takeOver = createTakeOver();
  const streamEvents = createStreamEvents({
    ...hub,
    authorise,
    addressOf: createClientAddress({ trustedProxies: config.trustedProxies, log }),
    takeOver,
    settings: config.stream,
    clock,
  });
  const commonHeaders = createCommonHeaders([...siteOrigins(config.publicUrl), ...config.corsOrigins]);
  const server = createHttpServer({
    handler: createHandler({ streamEvents, commonHeaders, takeOver, log }),
    host: config.process.host,
    port: config.port,
    // A hundred topics and a token that names them stand in one address.
    settings: { maxHeaderSize: 65_536 },
  });

  const parts = [nats, requests, server, ...hub.parts];
  return composeService({ name: 'hub', parts, log, metrics, settings: config.process, server });
}
