import { randomUUID } from 'node:crypto';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { ask } from './ask.ts';

let relay: Constellation;
let database: pg.Client;

beforeAll(async () => {
  relay = await startConstellation();
  database = new pg.Client(relay.databaseUrl);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await relay.stop();
});

const whoami = ({ consumerKey: key }: Tenant) => ask(relay, 'GET', '/api/v1/whoami', { key });
const submit = ({ consumerKey: apiKey }: Tenant, headers = {}) =>
  ask(relay, 'POST', '/api/v1/help', { body: { apiKey, messages: [], plaintext: 'help' }, headers });

test.each([
  ['a submit', submit],
  ['a submit with an idempotency key', (ada: Tenant) => submit(ada, { 'idempotency-key': randomUUID() })],
  ['a question who it is', whoami],
])('a key that the gateway still knows, of a user who was erased: %s is 401', async (_, call) => {
  const ada = await relay.makeTenant();
  expect((await whoami(ada)).status).toBe(200);
  await database.query('DELETE FROM users WHERE id = $1', [ada.userId]);
  expect(await call(ada)).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
});
