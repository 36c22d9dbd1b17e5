import { createKeyUsage, createPostgres, failures } from '@expert-relay/db';
import { systemClock } from '@expert-relay/kit/clock';
import { createHttpServer, createWindowCounter, serveRoutes } from '@expert-relay/kit/http';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createPrincipalVerifier } from '@expert-relay/kit/principal';
import { createTracing } from '@expert-relay/kit/tracing';
import type { Config } from './config.ts';
import { Deliverer } from './deliveries/deliverer.ts';
import { oneDeliveryParts } from './deliveries/delivery-parts.ts';
import { createPeopleQueue } from './deliveries/people-queue.ts';
import { createWebhookQueue } from './deliveries/webhook-queue.ts';
import { createChannels } from './endpoints/channels.ts';
import { createConfirmations } from './endpoints/confirmations.ts';
import { createPushHosts } from './endpoints/push-hosts.ts';
import { createTargetSealer } from './endpoints/seal.ts';
import { createWebhooks } from './endpoints/webhooks.ts';
import { FactReader } from './facts/fact-reader.ts';
import { createMaintenance } from './maintenance.ts';
import { createNotifierMetrics } from './notifier-metrics.ts';
import { createAddressRules } from './outbound/address-rules.ts';
import { createPost, type PostOptions } from './outbound/post.ts';
import { createResolve } from './outbound/resolve.ts';
import { routes } from './routes/index.ts';
import { createSendChat } from './senders/send-chat.ts';
import { addressIn, createSendEmail } from './senders/send-email.ts';
import { createSendPush, parsePushKeys } from './senders/send-push.ts';
import { createSendWebhook } from './senders/send-webhook.ts';

/** Tests and repetitions that a user may ask for in a minute. */
const testsPerMinute = 10;

export function create(
  config: Config,
  overrides: Overrides & { outbound?: Partial<PostOptions>; maintenanceMs?: number } = {},
): Service {
  const { clock = systemClock, log = createLog('notifier', { level: config.process.logLevel }) } = overrides;
  const metrics = createMetrics('notifier', { forProcess: overrides.log === undefined });
  const tracing = createTracing('notifier', { settings: config.tracing, log });
  const notifierMetrics = createNotifierMetrics(metrics);
  const sealer = createTargetSealer(config.endpointKeys);
  const rules = createAddressRules(config.allowedNetworks);

  // The table of deliveries changes so much that a plan which is kept would be for another table.
  const database = createPostgres({ ...config.database, log, plansEachTime: true });
  const { query } = database;
  const keyUsage = createKeyUsage({ query, log });

  const post = createPost({ rules, resolve: createResolve(), ...overrides.outbound });
  const { publicUrl, email, push } = config;
  const keys = parsePushKeys(push.keys ?? []);
  const server =
    email.url !== undefined && email.from !== undefined ? { url: email.url, from: email.from } : undefined;
  const isPushHost = createPushHosts(push.hosts);
  const deliverer = new Deliverer({
    database,
    queues: [
      createWebhookQueue({ database, send: createSendWebhook({ sealer, post, clock }) }),
      createPeopleQueue({
        database,
        senders: {
          push: createSendPush({ sealer, post, isPushHost, keys, subject: subjectOf(publicUrl, email.from) }),
          email: createSendEmail({ sealer, publicUrl, server, log }),
          chat: createSendChat({ sealer, post, publicUrl }),
        },
      }),
    ],
    metrics: notifierMetrics,
    log,
  });
  const reader = new FactReader({
    database,
    metrics: notifierMetrics,
    log,
    onInserted: () => deliverer.wake(),
  });
  const intervalMs = overrides.maintenanceMs;
  const maintenance = createMaintenance({
    query,
    sealer,
    metrics: notifierMetrics,
    log,
    ...(intervalMs && { intervalMs }),
  });

  const { gateway, dashboard } = config.principalKeys;
  const handler = serveRoutes({
    routes: routes({
      query,
      webhooks: createWebhooks({ database, sealer }),
      channels: createChannels({
        database,
        sealer,
        confirmations: createConfirmations({ sealer, deliveryParts: oneDeliveryParts }),
        pushKeys: keys.map(({ publicKey }) => publicKey),
        canEmail: server !== undefined,
      }),
      sealer,
      rules,
      isPushHost,
      pushKey: keys[0]?.publicKey ?? null,
      canEmail: server !== undefined,
      clock,
      countTests: createWindowCounter({ limit: testsPerMinute, clock }),
      wakeDeliverer: () => deliverer.wake(),
    }),
    verify: createPrincipalVerifier({
      audience: 'notifier',
      callers: {
        gateway: { keys: gateway, kinds: ['consumer', 'provider'] },
        ...(dashboard && { dashboard: { keys: dashboard, kinds: ['session', 'nobody'] } }),
      },
      clock,
    }),
    log,
    metrics,
    tracing,
    maxLongResponses: 0,
    poolSize: config.database.poolSize,
    onCaller: keyUsage.note,
    failures,
  });
  const httpServer = createHttpServer({ handler, host: config.process.host, port: config.port });

  const parts = [tracing, database, keyUsage, deliverer, reader, maintenance, httpServer];
  return composeService({
    name: 'notifier',
    parts,
    log,
    metrics,
    settings: config.process,
    server: httpServer,
  });
}

/** Whom push services may contact about this relay. Some refuse an address that is not public. */
const subjectOf = (publicUrl: string, emailFrom: string | undefined): string =>
  emailFrom === undefined && publicUrl.startsWith('https:')
    ? publicUrl
    : `mailto:${addressIn(emailFrom ?? 'operator@relay.invalid')}`;
