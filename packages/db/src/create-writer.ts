import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Metrics } from '@expert-relay/kit/metrics';
import { createNats, type NatsAccess } from '@expert-relay/kit/nats';
import { createKeyUsage, type KeyUsage } from './api-key/key-usage.ts';
import { createOutboxRelay, type OutboxRelay } from './outbox/create-outbox-relay.ts';
import { createDatabase, type Database } from './postgres/create-database.ts';

export interface Writer {
  readonly database: Database;
  readonly outbox: OutboxRelay;
  readonly keyUsage: KeyUsage;
  /** All of it, in the order of starting. */
  readonly parts: readonly Part[];
}

/** What a service that writes stands on: Postgres, the outbox behind it, and a note of which keys were used. */
export function createWriter(options: {
  service: string;
  database: { url: string; poolSize: number; directUrl: string | undefined };
  nats: NatsAccess & { prefix: string; stream: { replicas: number; maxBytes: number } };
  log: Log;
  metrics: Metrics;
}): Writer {
  const { service, log, metrics } = options;
  const { url, poolSize, directUrl = url } = options.database;
  const { prefix, stream } = options.nats;
  const database = createDatabase({ url, poolSize, log });
  const keyUsage = createKeyUsage({ prisma: database.prisma, log });
  const nats = createNats({ ...options.nats, name: service, log });
  const outbox = createOutboxRelay({ directUrl, nats, prefix, stream, log, metrics });
  return { database, outbox, keyUsage, parts: [database, keyUsage, nats, outbox] };
}
