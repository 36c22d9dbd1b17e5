import { randomUUID } from 'node:crypto';
import { type DomainEvent, decodeEvent, newMessageEvent, subjectsFor } from '@expert-relay/contracts';
import { createLog, type Log } from '@expert-relay/kit/log';
import { createMetrics, type Metrics } from '@expert-relay/kit/metrics';
import { createNats, type Nats } from '@expert-relay/kit/nats';
import { eventually } from '@expert-relay/testkit';
import pg from 'pg';
import { createOutboxPublisher, type OutboxPublisher, type OutboxPublisherOptions } from '../outbox/index.ts';
import { isWaiting } from '../outbox/waiting-rows.ts';
import { createTestDatabase, type TestDatabase } from './create-test-database.ts';

const log: Log = createLog('test', { level: 'silent' });

/** A database, a stream with a new prefix, and any number of publishers between them. */
export interface TestOutbox extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly prefix: string;
  readonly nats: Nats;
  startPublisher(options?: Partial<OutboxPublisherOptions>): Promise<OutboxPublisher & { registry: Metrics }>;
  /** Commits `count` events of a request, with its next values of `seq`. */
  write(requestId: string, count: number): Promise<void>;
  /** The events of the stream, oldest first. */
  stored(): Promise<readonly DomainEvent[]>;
  waiting(): Promise<number>;
  untilPublished(timeoutMs?: number): Promise<void>;
}

/** `existing` is a migrated database that is kept. Without it there is a new one. */
export async function openOutbox(
  servers: { databaseUrl: string; natsUrl: string },
  existing?: { url: string },
): Promise<TestOutbox> {
  const created = existing ? undefined : await createTestDatabase(servers.databaseUrl);
  const database = existing ?? (created as TestDatabase);
  const pool = new pg.Pool({ connectionString: database.url, max: 5 });
  // Its last connections may still be closing when the database is dropped.
  pool.on('error', () => {});
  const nats = createNats({ url: servers.natsUrl, name: 'test', log });
  await nats.start?.();
  const prefix = `test-${randomUUID().slice(0, 8)}`;
  const subjects = subjectsFor(prefix);
  const publishers: OutboxPublisher[] = [];
  const seqs = new Map<string, number>();

  /** Reads by sequence, since a consumer would hang when the stream is deleted and created again. */
  async function readEvents(): Promise<DomainEvent[] | undefined> {
    if (!nats.connected || !nats.connection) return undefined;
    const manager = await nats.connection.jetstreamManager({ checkAPI: false, timeout: 5_000 });
    const { first_seq: first, messages } = (await manager.streams.info(subjects.stream)).state;
    const events: DomainEvent[] = [];
    while (events.length < messages) {
      const chunk = Array.from({ length: Math.min(200, messages - events.length) }, (_, index) => {
        const seq = first + events.length + index;
        return manager.streams.getMessage(subjects.stream, { seq });
      });
      events.push(...(await Promise.all(chunk)).map((message) => decodeEvent(message.data)));
    }
    return events;
  }

  const outbox: TestOutbox = {
    databaseUrl: database.url,
    pool,
    prefix,
    nats,
    async startPublisher(options) {
      const registry = createMetrics('test', { forProcess: false });
      const publisher = createOutboxPublisher({
        directUrl: database.url,
        nats,
        stream: { prefix, maxBytes: 2 ** 24, replicas: 1 },
        log,
        metrics: registry,
        ...options,
      });
      publishers.push(publisher);
      await publisher.start?.();
      return Object.assign(publisher, { registry });
    },
    async write(requestId, count) {
      const before = seqs.get(requestId) ?? 0;
      seqs.set(requestId, before + count);
      const payload = Buffer.from(newMessageEvent({ role: 'consumer', messageId: 'm' }).payload);
      await pool.query(
        `INSERT INTO outbox_events (type, payload, user_id, request_id, ref_code, seq)
         SELECT 'new_message', $1, gen_random_uuid(), $2, 'AAAAAAAA', seq FROM generate_series($3::int, $4) AS seq`,
        [payload, requestId, before + 1, before + count],
      );
    },
    // NATS may be away, or answer late, while a test asks.
    stored: () => eventually('the stream can be read', () => readEvents().catch(() => undefined)),
    async waiting() {
      const { rows } = await pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM outbox_events WHERE ${isWaiting}`,
      );
      return rows[0]?.count ?? -1;
    },
    async untilPublished(timeoutMs = 60_000) {
      let waiting = 0;
      const isPublished = async () => {
        waiting = await outbox.waiting();
        return waiting === 0;
      };
      await eventually('every event is published', isPublished, { timeoutMs }).catch((error: Error) => {
        throw new Error(`${error.message} ${waiting} events still wait.`);
      });
    },
    async [Symbol.asyncDispose]() {
      for (const publisher of publishers) await publisher.stop?.();
      const manager = nats.connected
        ? await nats.connection?.jetstreamManager({ checkAPI: false })
        : undefined;
      await manager?.streams.delete(subjects.stream).catch(() => {});
      await nats.stop?.();
      await pool.end();
      await created?.drop();
    },
  };
  return outbox;
}

/** Counts violations of what receivers need: each event once, and the events of a request in order. */
export function countFaults(events: readonly DomainEvent[]): { duplicated: number; disordered: number } {
  const seen = new Set<string>();
  const last = new Map<string, bigint>();
  let [duplicated, disordered] = [0, 0];
  for (const { eventId, requestId, seq } of events) {
    if (seen.has(eventId)) duplicated++;
    else if (seq <= (last.get(requestId) ?? 0n)) disordered++;
    seen.add(eventId);
    last.set(requestId, seq);
  }
  return { duplicated, disordered };
}
