import type { Clock } from '@expert-relay/kit/clock';
import { siteOrigins } from '@expert-relay/kit/config';
import {
  bareApp,
  createClientAddress,
  createLineLevel,
  handleErrors,
  observeCalls,
} from '@expert-relay/kit/http';
import type { Log } from '@expert-relay/kit/log';
import { Gauge, type Metrics } from '@expert-relay/kit/metrics';
import { noTracing, type Tracing } from '@expert-relay/kit/tracing';
import type { Express } from 'express';
import { checkCall } from './call/check-call.ts';
import { createByteBudget } from './call/create-byte-budget.ts';
import type { EdgeResponse } from './call/edge-call.ts';
import { identifyCall } from './call/identify-call.ts';
import { limitRate } from './call/limit-rate.ts';
import { createBodyReceiver } from './call/receive-body.ts';
import { createRouteFinder } from './call/route-finder.ts';
import { sendRefusal } from './call/send-refusal.ts';
import type { Config } from './config.ts';
import { createTransfers } from './forward/create-transfers.ts';
import { forward, type Upstreams } from './forward/forward.ts';
import { authenticate } from './keys/authenticate.ts';
import type { KeyCache } from './keys/create-key-cache.ts';
import { allowOrigins, setSecurityHeaders } from './response-headers.ts';
import { describeRelay, nameHub } from './routes/describe-relay.ts';
import { getHealth, type Health } from './routes/get-health.ts';
import { routes } from './routes/index.ts';
import { sendDocument } from './routes/send-document.ts';

/** The steps of a call through the gateway, in their order. */
export function createApp(options: {
  config: Pick<
    Config,
    'publicUrl' | 'hubPublicUrl' | 'corsOrigins' | 'rateLimits' | 'bufferMemory' | 'trustedProxies'
  >;
  keys: KeyCache;
  upstreams: Upstreams;
  health: Health;
  version: string;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  tracing?: Tracing;
  /** See `createTransfers`. */
  transferLimits?: { minRate?: number; graceMs?: number };
}): Express {
  const { config, keys, upstreams, health, version, clock, log, metrics, tracing = noTracing } = options;
  const { publicUrl, hubPublicUrl, corsOrigins, rateLimits, trustedProxies } = config;
  const clientAddress = createClientAddress({ trustedProxies, log });
  const memory = createByteBudget(config.bufferMemory);
  new Gauge({
    name: 'relay_gateway_buffered_bytes',
    help: 'Memory of bodies that no service has received yet, and of responses that wait for their clients.',
    registers: [metrics],
    collect() {
      this.set(memory.bytes);
    },
  });
  const bodies = createBodyReceiver({ memory, metrics });
  const beginTransfer = createTransfers({ memory, metrics, ...options.transferLimits });
  const app = bareApp();
  app.use(identifyCall({ clientAddress, findRoutes: createRouteFinder(routes), tracing }));
  app.use(setSecurityHeaders);
  app.use(observeCalls({ log, metrics, tracing, lineLevel: createLineLevel(clock) }));
  app.use(allowOrigins([...siteOrigins(publicUrl), ...corsOrigins]));
  const rate = limitRate({ limits: rateLimits, recallKey: keys.recall, clock, metrics });
  app.use(rate.byAddress);
  app.use(checkCall);
  app.use(authenticate({ keys, bodies, log, metrics }));
  app.use(rate.byKey);
  app.post('/api/v1/help', nameHub(hubPublicUrl));
  app.use(forward({ upstreams, bodies, beginTransfer }));
  // `forward` leaves routes with `to: 'gateway'` to these handlers.
  app.get('/api/health', getHealth({ health, version, clock }));
  app.get('/.well-known/expert-relay', describeRelay({ hubUrl: hubPublicUrl, version }));
  app.get('/api/openapi.json', sendDocument(beginTransfer));
  app.use(
    handleErrors(log, {
      send(response, problem) {
        bodies.release(response as EdgeResponse);
        sendRefusal(response, problem);
      },
    }),
  );
  return app;
}
