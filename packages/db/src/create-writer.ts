import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Metrics } from '@expert-relay/kit/metrics';
import { createNats, type NatsAccess } from '@expert-relay/kit/nats';
import { createKeyUsage, type KeyUsage } from './api-key/key-usage.ts';
import type { Postgres, PostgresOptions } from './database/create-postgres.ts';
import { createOutboxRelay, type OutboxRelay } from './outbox/index.ts';

export interface Writer<D> {
  readonly database: D;
  readonly outbox: OutboxRelay;
  readonly keyUsage: KeyUsage;
  /** All of it, in the order of starting. */
  readonly parts: readonly Part[];
}

/** What a service that writes stands on: Postgres, the outbox behind it, and a note of which keys were used. */
export function createWriter<D extends Pick<Postgres, 'name' | 'query'>>(options: {
  service: string;
  /** `createPostgres`, or `createDatabase` for a service that reads by Prisma's model API. */
  connect(options: PostgresOptions): D;
  database: { url: string; poolSize: number; patience: number; directUrl: string | undefined };
  nats: NatsAccess & { prefix: string; stream: { replicas: number; maxBytes: number } };
  log: Log;
  metrics: Metrics;
}): Writer<D> {
  const { service, log, metrics } = options;
  const { url, poolSize, patience, directUrl = url } = options.database;
  const { prefix, stream } = options.nats;
  const database = options.connect({ url, poolSize, patience, log });
  const keyUsage = createKeyUsage({ query: database.query, log });
  const nats = createNats({ ...options.nats, name: service, log });
  const outbox = createOutboxRelay({ directUrl, nats, prefix, stream, log, metrics });
  return { database, outbox, keyUsage, parts: [database, keyUsage, nats, outbox] };
}
