import { systemClock } from '@expert-relay/kit/clock';
import type { KeysWithIds, Values, writerVariables } from '@expert-relay/kit/config';
import { createHttpServer, type Route, serveRoutes } from '@expert-relay/kit/http';
import { composeService, type Overrides, type Service } from '@expert-relay/kit/lifecycle';
import { createLog, type Log } from '@expert-relay/kit/log';
import { createMetrics } from '@expert-relay/kit/metrics';
import { createNats } from '@expert-relay/kit/nats';
import { createPrincipalVerifier, type PrincipalKind } from '@expert-relay/kit/principal';
import { createTracing } from '@expert-relay/kit/tracing';
import { createKeyUsage, type KeyUsage } from './api-key/key-usage.ts';
import type { Postgres, PostgresOptions } from './database/create-postgres.ts';
import { createOutboxPublisher } from './outbox/index.ts';
import { failures } from './postgres/failures.ts';

interface WriterConfig<Caller extends string> extends Values<ReturnType<typeof writerVariables>> {
  readonly principalKeys: Readonly<Record<Caller, KeysWithIds>>;
}

/**
 * A service that writes to Postgres and serves other services: requests and messages. Each of its processes runs the
 * outbox publisher, and records when API keys were last used.
 */
export function createWriterService<
  D extends Pick<Postgres, 'name' | 'query'>,
  Caller extends string,
>(options: {
  name: string;
  config: WriterConfig<Caller>;
  overrides: Overrides;
  /** `createPostgres`, or `createDatabase` for a service that uses Prisma's model API. */
  connect(options: PostgresOptions): D;
  /** The services that may call it, and the kinds of principals that each may send. */
  callers: Readonly<Record<Caller, readonly PrincipalKind[]>>;
  /** A route calls `wakeOutbox` when it has committed an event. Without that, the event waits until the leader polls. */
  routes(parts: {
    database: D;
    wakeOutbox: () => void;
    noteKeyUse: KeyUsage['note'];
    log: Log;
  }): readonly Route[];
}): Service {
  const { name, config, overrides } = options;
  const { clock = systemClock, log = createLog(name, { level: config.process.logLevel }) } = overrides;
  const metrics = createMetrics(name, { forProcess: overrides.log === undefined });

  const tracing = createTracing(name, { settings: config.tracing, log });
  const { url, poolSize, patience, directUrl = url } = config.database;
  const database = options.connect({ url, poolSize, patience, log });
  const keyUsage = createKeyUsage({ query: database.query, log });
  const nats = createNats({ ...config.nats, name, log });
  const stream = { prefix: config.nats.prefix, ...config.nats.stream };
  const outbox = createOutboxPublisher({ directUrl, nats, stream, log, metrics, tracing });

  const callers = (Object.keys(options.callers) as Caller[]).map((caller) => {
    return [caller, { keys: config.principalKeys[caller], kinds: options.callers[caller] }] as const;
  });
  const verify = createPrincipalVerifier({ audience: name, callers: Object.fromEntries(callers), clock });
  const handler = serveRoutes({
    routes: options.routes({ database, wakeOutbox: outbox.wake, noteKeyUse: keyUsage.note, log }),
    verify,
    log,
    metrics,
    tracing,
    maxLongResponses: config.maxLongResponses,
    poolSize,
    onCaller: keyUsage.note,
    failures,
  });
  const server = createHttpServer({ handler, host: config.process.host, port: config.port });

  const parts = [tracing, database, keyUsage, nats, outbox, server];
  return composeService({ name, parts, log, metrics, settings: config.process, server });
}
