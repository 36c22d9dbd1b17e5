import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { createVisitor } from './visitor.ts';

let relay: Constellation;
let database: Client;

beforeAll(async () => {
  relay = await startConstellation();
  database = new Client(relay.databaseUrl);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await relay.stop();
});

const calls: readonly [string, string, object][] = [
  ['PUT', '/api/vault', { vault: 1 }],
  ['POST', '/api/keys', { name: 'a key', kind: 'consumer' }],
  ['PUT', '/api/notifications', { pausedUntil: null }],
  ['POST', '/api/notifications/channels', { kind: 'chat', url: 'http://127.0.0.1:9/channel' }],
  ['POST', '/api/webhooks', { url: 'http://127.0.0.1:9/hook' }],
];

test.each(calls)('a session whose user was erased a moment ago: %s %s is 401', async (method, path, body) => {
  const visitor = createVisitor(relay.gatewayUrl);
  await visitor.call('POST', '/auth/dev', { user: 'ada' });
  const { userId } = (await visitor.call('GET', '/api/me')).json;
  await database.query('DELETE FROM users WHERE id = $1', [userId]);
  const response = await visitor.call(method, path, body);
  expect([response.status, response.json.error]).toEqual([401, 'unauthorized']);
});
