import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endpointKey, openNotifierDatabase, type TestDatabase } from '../testing/test-database.ts';
import { createTargetSealer } from './seal.ts';
import type { Manager } from './webhook-form.ts';
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
  expert = { kind: 'provider', userId, apiKeyId: randomUUID() };
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
  return sealer.open(id, row);
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
