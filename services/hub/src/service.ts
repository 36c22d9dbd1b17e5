import { systemClock } from '@expert-relay/kit/clock';
import { siteOrigins } from '@expert-relay/kit/config';
import {
  createCallRecorder,
  createClientAddress,
  createHttpServer,
  createLineLevel,
} from '@expert-relay/kit/http';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createNats } from '@expert-relay/kit/nats';
import { createServiceClient } from '@expert-relay/kit/service-client';
import { createTracing } from '@expert-relay/kit/tracing';
import { createAuthorise } from './authorise/authorise.ts';
import { createKeyExchange } from './authorise/exchange-key.ts';
import { FailureLimit, limitKeyExchange } from './authorise/limit-key-exchange.ts';
import { createStreamTokenVerifier, parseStreamTokenKeys } from './authorise/stream-token.ts';
import type { Config } from './config.ts';
import { createHandler, securityHeaders } from './http/create-handler.ts';
import { DetachableSocket } from './http/detachable-socket.ts';
import { createHub } from './hub.ts';
import { createStreamEvents } from './routes/stream-events.ts';

export function create(config: Config, overrides: Overrides = {}): Service {
  const { clock = systemClock, log = createLog('hub', { level: config.process.logLevel }) } = overrides;
  const metrics = createMetrics('hub', { forProcess: overrides.log === undefined });
  const nats = createNats({ ...config.nats, name: 'hub', isRequired: true, log });
  const tracing = createTracing('hub', { settings: config.tracing, log });
  const lineLevel = createLineLevel(clock);
  const requests = createServiceClient({
    caller: 'hub',
    name: 'requests',
    url: config.requestsUrl,
    keys: config.principalKeys,
    clock,
    log,
    timeoutMs: 2_500,
  });
  const hub = createHub({ config, nats, requests, clock, log, lineLevel, metrics, tracing });
  const failures = new FailureLimit({ perMinute: config.failuresPerAddress, clock });
  const verify = createStreamTokenVerifier({ keys: parseStreamTokenKeys(config.streamTokenKeys), clock });
  const authorise = createAuthorise({
    requireAuth: config.requireAuth,
    verify,
    exchange: limitKeyExchange({ exchange: createKeyExchange({ requests, verify, log }), failures, clock }),
    revocations: hub.revocations,
    failures,
  });
  const streamEvents = createStreamEvents({
    ...hub,
    authorise,
    settings: config.stream,
    clock,
  });
  const origins = [...siteOrigins(config.publicUrl), ...config.corsOrigins];
  const addressOf = createClientAddress({ trustedProxies: config.trustedProxies, log });
  const record = createCallRecorder({ log, metrics, lineLevel });
  const server = createHttpServer({
    handler: createHandler({ streamEvents, origins, addressOf, record, log }),
    host: config.process.host,
    port: config.port,
    // Enough for a hundred topics and a token that names them.
    settings: { maxHeaderSize: 65_536 },
    refusalHeaders: { ...securityHeaders, vary: 'Origin' },
    wrapSocket: (socket) => new DetachableSocket(socket),
    connectionLimit: {
      perAddress: config.caps.connectionsPerAddress,
      // The other file descriptors are for NATS, the requests service and the ops server.
      total: config.caps.streams + spareConnections,
      trustedProxies: config.trustedProxies,
      metrics,
    },
  });

  const parts = [tracing, nats, requests, server, ...hub.parts];
  return composeService({
    name: 'hub',
    parts,
    log,
    metrics,
    settings: config.process,
    staysReady: true,
    server,
  });
}

/** Connections without a stream: requests that are not answered yet, and idle ones. */
const spareConnections = 1_024;
