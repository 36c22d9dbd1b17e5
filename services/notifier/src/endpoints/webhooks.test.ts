import { randomBytes, randomUUID } from 'node:crypto';
import type { Party } from '@expert-relay/db';
import { createMetrics } from '@expert-relay/kit/metrics';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveriesPage } from '../deliveries/deliveries-page.ts';
import { sendAgain, sendTest } from '../deliveries/send-now.ts';
import { createMaintenance } from '../maintenance.ts';
import { createNotifierMetrics } from '../notifier-metrics.ts';
import { endpointKeys, silent, useNotifierDatabase } from '../testing/test-database.ts';
import { keyEvents } from './delivery-types.ts';
import { createTargetSealer } from './seal.ts';
import { managedBy } from './webhook-form.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

const database = useNotifierDatabase();
let webhooks: Webhooks;
let expert: Party;
let agent: Party;
const sealer = createTargetSealer(endpointKeys);
const url = 'https://example.com/';
const secret = { createdAt: 0 };

beforeAll(() => {
  webhooks = createWebhooks({ database, sealer });
  const { userId, keyId } = database;
  expert = { kind: 'provider', userId, apiKeyId: randomUUID(), secret };
  agent = { kind: 'consumer', userId, apiKeyId: keyId, secret };
});

const make = (party: Party, id: string = randomUUID()) =>
  webhooks.insert(party, { id, url, events: ['request.closed'] });

const asSession = (): Party => ({
  kind: 'session',
  userId: database.userId,
  sessionId: randomUUID(),
  begunAt: 0,
  endsAt: 0,
});

async function targetOf(id: string) {
  const [row] = await database.query<{ sealingKeyId: string; sealed: Buffer }>`
    SELECT sealing_key_id AS "sealingKeyId", sealed FROM notification_endpoints WHERE id = ${id}::uuid`;
  if (!row) throw new Error('there is no such webhook');
  return sealer.open<'webhook'>(id, row);
}

test('a repeated call creates no second webhook, and its secret is the one that counts', async () => {
  const id = randomUUID();
  const [first, second] = [await make(agent, id), await make(agent, id)];
  expect(first.secret).not.toBe(second.secret);
  expect((await targetOf(id)).secret).toBe(second.secret);
  expect(await webhooks.list(agent)).toHaveLength(1);
  await webhooks.delete(agent, id);
});

test('a repeated rotation keeps the secret from before it', async () => {
  const { id, secret } = await make(agent);
  const rotation = { callId: randomUUID(), graceSeconds: 60 };
  await webhooks.rotate(agent, id, rotation);
  const repeated = await webhooks.rotate(agent, id, rotation);
  expect(await targetOf(id)).toMatchObject({ secret: repeated.secret, previous: { secret } });
  await webhooks.delete(agent, id);
});

test('an expert makes webhooks of own consumer keys that are not revoked', async () => {
  const keyId = randomUUID();
  const of = (id: string) => webhooks.insert(asSession(), { id: randomUUID(), keyId: id, url });
  await database.query`
    INSERT INTO api_keys (id, user_id, kind, name, last_four, call_id)
    VALUES (${keyId}::uuid, ${database.userId}::uuid, 'consumer', 'another', 'abcd', ${randomUUID()}::uuid)`;
  const webhook = await of(keyId);
  expect(webhook).toMatchObject({ keyId, events: [...keyEvents] });
  await webhooks.delete(expert, webhook.id);
  const [other] = await database.query<{ id: string }>`INSERT INTO users (name) VALUES ('bob') RETURNING id`;
  const change = (set: string) => database.pool.query(`UPDATE api_keys SET ${set} WHERE id = '${keyId}'`);
  for (const set of [
    "kind = 'provider'",
    "kind = 'consumer', revoked_at = now()",
    `revoked_at = NULL, user_id = '${other?.id}'`,
  ]) {
    await change(set);
    await expect(of(keyId)).rejects.toMatchObject({ code: 'invalid_request' });
  }
  await expect(of(randomUUID())).rejects.toMatchObject({ code: 'invalid_request' });
});

describe('the webhooks of a revoked key', () => {
  const revoke = (revokedAt: Date | null) =>
    database.query`UPDATE api_keys SET revoked_at = ${revokedAt?.toISOString() ?? null}::timestamptz WHERE id = ${database.keyId}::uuid`;
  const maintain = async () => {
    const metrics = createNotifierMetrics(createMetrics('notifier', { forProcess: false }));
    const maintenance = createMaintenance({ query: database.query, sealer, metrics, log: silent });
    await maintenance.start?.();
    await maintenance.stop?.();
  };
  const count = () => ({ limit: 10, left: 1, endsInMs: 60_000 });
  const used = (endpointId: string) => ({
    endpointId,
    userId: database.userId,
    isOwn: managedBy(asSession()),
    ...({ off: 'webhook_off', count, sealer } as const),
  });
  let own: string;
  let ofKey: string[];

  beforeEach(async () => {
    own = (await make(expert)).id;
    ofKey = [];
    for (let number = 0; number < 3; number++) ofKey.push((await make(agent)).id);
    await revoke(new Date());
  });
  afterEach(async () => {
    await revoke(null);
    await database.query`DELETE FROM notification_endpoints`;
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['a change', (id) => webhooks.change(asSession(), id, { events: ['request.closed'] })],
    ['being switched on', (id) => webhooks.change(asSession(), id, { enabled: true })],
    ['a rotation', (id) => webhooks.rotate(asSession(), id, { callId: randomUUID(), graceSeconds: 0 })],
    ['a test', (id) => sendTest(database.query, { ...used(id), type: 'webhook.test', callId: randomUUID() })],
    ['a repetition', (id) => sendAgain(database.query, { ...used(id), deliveryId: `msg_${id}` })],
    [
      'a list of deliveries',
      (id) => deliveriesPage(database.query, used(id).isOwn, { endpointId: id, limit: 5 }),
    ],
    ['a deletion', (id) => webhooks.delete(asSession(), id)],
  ])('are unknown to %s', async (_, call) => {
    const [id = ''] = ofKey;
    await expect(call(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('are in no list of webhooks, and all other webhooks are', async () => {
    for (const party of [expert, asSession()])
      expect((await webhooks.list(party)).map(({ id }) => id)).toEqual([own]);
    expect(await webhooks.list(agent)).toEqual([]);
  });

  test('leave their places to others', async () => {
    const others = await Promise.allSettled(Array.from({ length: 50 }, () => make(expert)));
    expect(others.filter(({ status }) => status === 'fulfilled')).toHaveLength(49);
  });

  test('are deleted with their deliveries, and those of a rotated key are not', async () => {
    for (const id of [own, ...ofKey]) await database.addDeliveries(id, 2);
    await maintain();
    const left = () => database.query<{ id: string }>`SELECT id FROM notification_endpoints`;
    expect(await left()).toEqual([{ id: own }]);
    expect(await database.query`SELECT 1 FROM notification_deliveries`).toHaveLength(2);
    await revoke(null);
    const { id } = await make(agent);
    await database.query`
      INSERT INTO api_key_secrets (secret_digest, api_key_id, call_id, expires_at)
      VALUES (${randomBytes(32)}, ${database.keyId}::uuid, ${randomUUID()}::uuid, now() - interval '1 hour')`;
    await maintain();
    expect((await left()).map((row) => row.id)).toContain(id);
  });
});

test('a user has at most fifty, and a consumer key three, also when they are created at the same time', async () => {
  const ofKey = await Promise.allSettled(Array.from({ length: 6 }, () => make(agent)));
  expect(ofKey.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  const ofUser = await Promise.allSettled(Array.from({ length: 50 }, () => make(expert)));
  expect(ofUser.filter(({ status }) => status === 'fulfilled')).toHaveLength(47);
  for (const result of [...ofKey, ...ofUser])
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'too_many_webhooks' });
});

test('when a user is erased, webhooks and deliveries are erased too', async () => {
  const [{ id = '' } = {}] = await webhooks.list(expert);
  await database.addDeliveries(id, 5);
  await database.query`DELETE FROM users WHERE id = ${database.userId}::uuid`;
  expect(await database.query`SELECT 1 FROM notification_endpoints`).toEqual([]);
  expect(await database.query`SELECT 1 FROM notification_deliveries`).toEqual([]);
});
