import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endpointKey, openNotifierDatabase, type TestDatabase } from '../testing/test-database.ts';
import { createTargetSealer } from './seal.ts';
import { keyEvents, type Manager } from './webhook-form.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

let database: TestDatabase;
let webhooks: Webhooks;
let expert: Manager;
let agent: Manager;
const sealer = createTargetSealer(endpointKey);
const url = 'https://example.com/';

beforeAll(async () => {
  database = await openNotifierDatabase();
  webhooks = createWebhooks({ database, sealer });
  const { userId, keyId } = database;
  expert = { kind: 'provider', userId };
  agent = { kind: 'consumer', userId, apiKeyId: keyId };
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

const make = (manager: Manager, id: string = randomUUID()) =>
  webhooks.insert(manager, { id, url, events: ['request.closed'] });

async function targetOf(id: string) {
  const [row] = await database.query<{ sealedKey: string; sealed: Buffer }>`
    SELECT sealed_key AS "sealedKey", sealed FROM notification_endpoints WHERE id = ${id}::uuid`;
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
  const of = (id: string) =>
    webhooks.insert({ ...expert, kind: 'session' }, { id: randomUUID(), keyId: id, url });
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
