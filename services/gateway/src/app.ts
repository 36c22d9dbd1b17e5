import type { Clock } from '@expert-relay/kit/clock';
import { siteOrigins } from '@expert-relay/kit/config';
import { bareApp, createClientAddress, handleErrors, observeCalls } from '@expert-relay/kit/http';
import type { Log } from '@expert-relay/kit/log';
import type { Metrics } from '@expert-relay/kit/metrics';
import type { Express } from 'express';
import { allowOrigins } from './allow-origins.ts';
import { checkCall } from './check-call.ts';
import type { Config } from './config.ts';
import { forward, type Upstreams } from './forward/forward.ts';
import { limitTransferTime } from './forward/limit-transfer-time.ts';
import { createBodyReceiver } from './forward/receive-body.ts';
import type { Health } from './health/create-health.ts';
import { identifyCall } from './identify-call.ts';
import { authenticate } from './keys/authenticate.ts';
import type { KeyFinder } from './keys/create-key-finder.ts';
import { limitRate } from './rate-limit/limit-rate.ts';
import { sendRefusal } from './refusal/send-refusal.ts';
import { describeRelay } from './routes/describe-relay.ts';
import { getHealth } from './routes/get-health.ts';
import { routes } from './routes/index.ts';
import { sendDocument } from './routes/send-document.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { createRouteFinder } from './target/route-finder.ts';

/** The way of a call through the edge, step by step. */
export function createApp(options: {
  config: Pick<
    Config,
    | 'publicUrl'
    | 'hubPublicUrl'
    | 'corsOrigins'
    | 'rateLimits'
    | 'bodies'
    | 'minTransferRate'
    | 'trustedProxies'
  >;
  keys: KeyFinder;
  upstreams: Upstreams;
  health: Health;
  version: string;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  slowAfter?: number;
  transferGrace?: number;
}): Express {
  const { config, keys, upstreams, health, version, clock, log, metrics } = options;
  const { publicUrl, hubPublicUrl, corsOrigins, rateLimits, minTransferRate, trustedProxies } = config;
  const clientAddress = createClientAddress({ trustedProxies, log });
  const receiveBody = createBodyReceiver({ limits: config.bodies, metrics, slowAfter: options.slowAfter });
  const limitTransfer = limitTransferTime({
    minRate: minTransferRate,
    grace: options.transferGrace,
    metrics,
  });
  const app = bareApp();
  app.use(identifyCall({ clientAddress, findPlace: createRouteFinder(routes) }));
  app.use(setSecurityHeaders);
  app.use(observeCalls({ log, metrics }));
  app.use(allowOrigins([...siteOrigins(publicUrl), ...corsOrigins]));
  app.use(limitRate({ limits: rateLimits, clock, metrics }));
  app.use(checkCall);
  app.use(authenticate({ keys, receiveBody, log, metrics }));
  app.use(forward({ upstreams, receiveBody, limitTransfer, publicUrl }));
  app.get('/api/health', getHealth({ health, version, clock }));
  app.get('/.well-known/expert-relay', describeRelay({ hubUrl: hubPublicUrl, version }));
  for (const path of ['/api/openapi.json', '/docs', '/docs/style.css'] as const)
    app.get(path, sendDocument(path));
  app.use(handleErrors(log, { send: sendRefusal }));
  return app;
}
