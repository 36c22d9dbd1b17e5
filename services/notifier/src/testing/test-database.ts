import { randomUUID } from 'node:crypto';
import type { EventType } from '@expert-relay/contracts';
import { createPostgres, makeRefCode, makeRequestId, type Postgres, sql } from '@expert-relay/db';
import { createTestDatabase, patient } from '@expert-relay/db/testing';
import { createLog } from '@expert-relay/kit/log';
import { afterAll, beforeAll } from '@jest/globals';
import type { PeopleChannel } from '../endpoints/channel-form.ts';
import { eventsOf, keyEvents, userEvents } from '../endpoints/delivery-types.ts';
import { createTargetSealer, type Targets } from '../endpoints/seal.ts';
import { takeFacts } from '../facts/take-facts.ts';

export const endpointKeys = [{ id: 'k1', secret: Buffer.alloc(32, 7) }] as const;
export const silent = createLog('test', { level: 'silent' });

export interface TestDatabase extends Postgres, AsyncDisposable {
  readonly url: string;
  /** A user with a consumer key. */
  readonly userId: string;
  readonly keyId: string;
  /** Removes all requests, endpoints and settings. */
  clear(): Promise<void>;
  addUser(): Promise<string>;
  /** A request to the user, or to another one. */
  addRequest(ofUser?: string): Promise<string>;
  addMessage(requestId: string, role: 'consumer' | 'provider'): Promise<string>;
  /** A fact, as the statement that records an event inserts it. */
  addFact(type: EventType, requestId: string, messageId?: string): Promise<void>;
  /** Takes all facts. Returns the number of inserted deliveries. */
  takeAll(): Promise<number>;
  /** A webhook of the user, or of the consumer key. */
  addEndpoint(endpoint: { of: 'user' | 'key'; url?: string; events?: readonly string[] }): Promise<string>;
  addDeliveries(endpointId: string, count: number, type?: string): Promise<void>;
  /** A channel of the user, or of another one, which is confirmed. */
  addChannel<C extends PeopleChannel>(
    kind: C,
    target: Targets[C],
    settings?: { delaySeconds?: number; showQuestion?: boolean; ofUser?: string },
  ): Promise<string>;
}

/** For the tests of a file: a database with a user, whose requests and webhooks are inserted by hand. */
export function useNotifierDatabase(): TestDatabase {
  const database = {} as TestDatabase;
  beforeAll(async () => void Object.assign(database, await openNotifierDatabase()));
  afterAll(async () => database[Symbol.asyncDispose]());
  return database;
}

export async function openNotifierDatabase(): Promise<TestDatabase> {
  const { url, drop } = await createTestDatabase(process.env.DATABASE_URL ?? '');
  const postgres = createPostgres({
    url,
    poolSize: 4,
    log: silent,
    plansEachTime: true,
    ...patient,
  });
  await postgres.start();
  const { query } = postgres;
  const sealer = createTargetSealer(endpointKeys);
  const [userId, keyId] = [randomUUID(), randomUUID()];
  await query`INSERT INTO users (id, name) VALUES (${userId}::uuid, 'ada')`;
  await query`
    INSERT INTO api_keys (id, user_id, kind, name, last_four, call_id)
    VALUES (${keyId}::uuid, ${userId}::uuid, 'consumer', 'a key', 'abcd', ${randomUUID()}::uuid)`;

  return {
    ...postgres,
    url,
    userId,
    keyId,
    async clear() {
      const tables = ['notification_endpoints', 'notification_settings', 'help_requests'];
      for (const table of tables) await postgres.pool.query(`DELETE FROM ${table}`);
    },
    async addUser() {
      const id = randomUUID();
      await query`INSERT INTO users (id, name) VALUES (${id}::uuid, 'bob')`;
      return id;
    },
    async addRequest(ofUser = userId) {
      const id = makeRequestId();
      await query`
        INSERT INTO help_requests (id, ref_code, user_id, consumer_key_id, context, call_id, expires_at)
        VALUES (${id}, ${makeRefCode()}, ${ofUser}::uuid, ${keyId}::uuid, '[]', ${randomUUID()}::uuid,
          now() + interval '72 hours')`;
      return id;
    },
    async addMessage(requestId, role) {
      const messageId = randomUUID();
      await query`
        WITH request AS (
          UPDATE help_requests SET seq = seq + 1, last_message_at = clock_timestamp(),
            turn = ${role === 'consumer' ? 'provider' : 'consumer'}::message_role, snoozed_until = NULL
          WHERE id = ${requestId} RETURNING id, seq
        )
        INSERT INTO messages (request_id, seq, role, message_id, message_key, plaintext, created_at)
        SELECT id, seq, ${role}::message_role, ${messageId}, ${messageId}::uuid, 'hello', clock_timestamp() FROM request`;
      return messageId;
    },
    async addFact(type, requestId, messageId) {
      await query`
        INSERT INTO notification_facts (type, request_id, message_key)
        VALUES (${type}, ${requestId}, ${messageId ?? null}::uuid)`;
    },
    async takeAll() {
      for (let deliveries = 0; ; ) {
        const taken = await takeFacts(postgres, { which: sql`TRUE`, limit: 200 });
        deliveries += taken?.deliveries ?? 0;
        if (!taken?.isMore) return deliveries;
      }
    },
    async addEndpoint({ of, url: target = 'https://example.com/', events }) {
      const id = randomUUID();
      const { sealingKeyId, sealed } = sealer.seal(id, {
        url: target,
        secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
      });
      const all = of === 'key' ? keyEvents : userEvents;
      await query`
        INSERT INTO notification_endpoints (
          id, user_id, api_key_id, channel, events, sealing_key_id, sealed, enabled_at)
        VALUES (${id}::uuid, ${userId}::uuid, ${of === 'key' ? keyId : null}::uuid, 'webhook',
          ${events ?? all}::text[], ${sealingKeyId}, ${sealed}, date_trunc('milliseconds', now()))`;
      return id;
    },
    async addDeliveries(endpointId, count, type = 'webhook.test') {
      await query`
        WITH inserted AS (
          INSERT INTO notification_deliveries (id, endpoint_id, type, event_at, due_at)
          SELECT 'msg_' || md5(${endpointId} || n), ${endpointId}::uuid, ${type}, now(), now()
          FROM generate_series(1, ${count}::int) AS n)
        UPDATE notification_endpoints SET next_due_at = now() WHERE id = ${endpointId}::uuid`;
    },
    async addChannel(kind, target, { delaySeconds = 0, showQuestion = false, ofUser = userId } = {}) {
      const id = randomUUID();
      const { sealingKeyId, sealed } = sealer.seal(id, target);
      await query`
        INSERT INTO notification_endpoints (id, user_id, channel, events, sealing_key_id, sealed, delay_seconds,
          show_question, enabled_at, confirmed_at)
        VALUES (${id}::uuid, ${ofUser}::uuid, ${kind}::notification_channel, ${eventsOf[kind]}::text[],
          ${sealingKeyId}, ${sealed}, ${delaySeconds}::int, ${showQuestion}, date_trunc('milliseconds', now()), now())`;
      return id;
    },
    async [Symbol.asyncDispose]() {
      await postgres.stop();
      await drop();
    },
  };
}
