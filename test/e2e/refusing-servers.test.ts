import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { redis } from '../../scripts/servers/redis.ts';
import { type OwnServer, startOwnServer } from '../../scripts/servers/testing/start-own-server.ts';
import { createVisitor, type Visitor } from './sign-in/visitor.ts';

/*
 * Servers that respond, and cannot do what they are asked: after a failover the connections lead to a server that takes no
 * writes, a memory is full. Such a call does not get 500, and is served again afterwards.
 */

let ownRedis: OwnServer;
let redisAdmin: Redis;
let postgres: pg.Client;
let relay: Constellation;
let tenant: Tenant;
let visitor: Visitor;
let requestId = '';

beforeAll(async () => {
  ownRedis = await startOwnServer(redis);
  redisAdmin = new Redis(ownRedis.url);
  relay = await startConstellation({ servers: { redisUrl: ownRedis.url } });
  postgres = new pg.Client({ connectionString: relay.databaseUrl });
  await postgres.connect();
  tenant = await relay.makeTenant();
  visitor = createVisitor(relay.gatewayUrl);
  await visitor.call('POST', '/auth/dev', { user: 'rea' });
  requestId = ((await calls.submit()).json as { requestId: string }).requestId;
});
afterAll(async () => {
  await postgres.end();
  await relay.stop();
  redisAdmin.disconnect();
  await ownRedis.stop();
});

interface HttpResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly json: unknown;
}

async function call(
  method: string,
  path: string,
  body?: object,
  key = tenant.consumerKey,
): Promise<HttpResponse> {
  const response = await fetch(`${relay.gatewayUrl}${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    json: await response.json(),
  };
}

async function inSession(method: string, path: string, body?: object): Promise<HttpResponse> {
  const { status, headers, text } = await visitor.call(method, path, body);
  return { status, retryAfter: headers.get('retry-after'), json: text };
}

const calls = {
  submit: () =>
    call('POST', '/api/v1/help', {
      apiKey: tenant.consumerKey,
      messages: [],
      question: 'May I?',
      plaintext: 'May I?',
    }),
  message: () => call('POST', `/api/v1/message/${requestId}`, { role: 'consumer', plaintext: 'Hello' }),
  messages: () => call('GET', `/api/v1/messages/${requestId}`),
  'the settings of notifications': () =>
    inSession('PUT', '/api/notifications', { pausedUntil: null, quietHours: null }),
  'a new key': () => inSession('POST', '/api/keys', { name: 'bot', kind: 'consumer' }),
  'the list of keys': () => inSession('GET', '/api/keys'),
  'sign in': async () => {
    const response = await createVisitor(relay.gatewayUrl).call('POST', '/auth/dev', { user: 'rea' });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), json: '' };
  },
};
type Call = keyof typeof calls;

/** Calls that need no write, or none to this server. */
const served: Readonly<Record<string, readonly Call[]>> = {
  Postgres: ['messages', 'the list of keys', 'sign in'],
  Redis: ['submit', 'message', 'messages', 'the settings of notifications', 'a new key', 'the list of keys'],
};

/** Changes a setting of all connections to the database, also of those that are open. */
async function makeReadOnly(isReadOnly: boolean): Promise<void> {
  const name = postgres.escapeIdentifier(new URL(relay.databaseUrl).pathname.slice(1));
  await postgres.query('SET default_transaction_read_only = off');
  await postgres.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isReadOnly}`);
  await postgres.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await eventually('the services to be connected again', async () => (await calls.messages()).status === 200);
}

describe.each([
  ['Postgres', 'takes no writes', () => makeReadOnly(true), () => makeReadOnly(false)],
  [
    'Redis',
    'has no memory',
    () => redisAdmin.config('SET', 'maxmemory', '1mb'),
    () => redisAdmin.config('SET', 'maxmemory', '0'),
  ],
  [
    'Redis',
    'is a replica',
    () => redisAdmin.replicaof('127.0.0.1', 1),
    () => redisAdmin.replicaof('NO', 'ONE'),
  ],
] as const)('%s %s', (server, _state, begin, end) => {
  beforeAll(async () => {
    await begin();
  });
  afterAll(async () => {
    await end();
    for (const [name, send] of Object.entries(calls))
      await eventually(`${name} is served again`, async () => (await send()).status < 400);
  });

  test.each(Object.keys(calls) as Call[])('%s', async (name) => {
    if (served[server]?.includes(name)) {
      // A connection to a replica is closed once, and Redis is away until the next one.
      await eventually('it is served', async () => (await calls[name]()).status < 400);
    } else {
      expect(await calls[name]()).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    }
    expect(relay.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
