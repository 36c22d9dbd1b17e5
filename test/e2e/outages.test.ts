import { type Constellation, startConstellation, type Tenant, untilReady } from '@expert-relay/constellation';
import {
  createTcpProxy,
  eventually,
  openStream,
  submit,
  type TcpProxy,
  testServers,
  topicUrl,
} from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createVisitor } from './sign-in/visitor.ts';

/*
 * Connections to Postgres, Redis and NATS are cut and restored. Services that the public calls stay ready, because a load
 * balancer without a ready pod would refuse connections. They respond with 503 and `Retry-After` to calls that they cannot
 * serve.
 */

type Server = 'postgres' | 'redis' | 'nats';
type ServiceName = keyof Constellation['services'];

const proxies = {} as Record<Server, TcpProxy>;
let relay: Constellation;
let expert: Tenant;
let cookie = '';

beforeAll(async () => {
  const { databaseUrl, redisUrl, natsUrl } = testServers();
  for (const [name, url] of Object.entries({ postgres: databaseUrl, redis: redisUrl, nats: natsUrl }))
    proxies[name as Server] = await createTcpProxy(url);
  relay = await startConstellation({
    servers: { databaseUrl: proxies.postgres.url, redisUrl: proxies.redis.url, natsUrl: proxies.nats.url },
  });
  expert = await relay.makeTenant();
  const visitor = createVisitor(relay.gatewayUrl);
  await visitor.call('POST', '/auth/dev', { user: 'olga' });
  cookie = visitor.cookies();
});
afterAll(() => relay.stop());
afterAll(() => Promise.all(Object.values(proxies).map((proxy) => proxy.stop())));

async function readiness(name: ServiceName) {
  const response = await fetch(`${relay.services[name].opsUrl}/readyz`);
  const { away } = (await response.json()) as { away: Record<string, string> };
  return { status: response.status, away };
}

/** The value of the metric `relay_dependency_up`. */
async function dependencyUp(name: ServiceName, dependency: string) {
  const text = await (await fetch(`${relay.services[name].opsUrl}/metrics`)).text();
  return new RegExp(`^relay_dependency_up\\{dependency="${dependency}".*\\} (\\d)$`, 'm').exec(text)?.[1];
}

/** Waits until these services report that a server is away. */
const untilReportedAway = (server: string, names: readonly ServiceName[]) =>
  Promise.all(
    names.map((name) =>
      eventually(
        `${name} reports that ${server} is away`,
        async () => (await readiness(name)).away[server] !== undefined,
      ),
    ),
  );

/** Waits for a status, with exactly these servers away. On a busy machine another one may seem away for a while. */
const untilReadiness = (name: ServiceName, status: number, away: readonly string[]) =>
  eventually(`${name} responds with ${status}, without ${away.join()}`, async () => {
    const found = await readiness(name);
    return found.status === status && Object.keys(found.away).join() === away.join() && found.away;
  });

/** Waits for a value of the metric. */
const untilUp = (name: ServiceName, dependency: string, value: '0' | '1') =>
  eventually(
    `${name} reports ${value} for ${dependency}`,
    async () => (await dependencyUp(name, dependency)) === value,
  );

const allReady = () => Promise.all(Object.values(relay.services).map(untilReady));

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${relay.gatewayUrl}${path}`, { headers });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
};
const unavailable = { status: 503, retryAfter: expect.any(Number) };

describe('without Postgres', () => {
  test('gateway and hub are ready and respond with 503 and Retry-After; requests, messages, worker and notifier are not ready', async () => {
    await proxies.postgres.cut();
    const away = { postgres: expect.stringContaining('is not reachable') };
    expect(await untilReadiness('gateway', 200, ['postgres'])).toEqual(away);
    for (const name of ['requests', 'messages', 'expiry-worker', 'notifier'] as const)
      expect(await untilReadiness(name, 503, ['postgres'])).toEqual(away);
    await untilReadiness('dashboard', 200, []);
    // It reads revocations from requests.
    await untilReadiness('hub', 200, ['requests']);
    await untilUp('gateway', 'postgres', '0');

    const submitted = await submit(relay.gatewayUrl, expert.consumerKey);
    expect(submitted.status).toBe(503);
    expect(Number(submitted.headers.get('retry-after'))).toBeGreaterThan(0);
    // A notification leads to the last one: "no such request" would be false.
    const paths = ['/api/health', '/api/v1/requests', '/api/requests', '/dashboard/code/HS-7K3M9QXA'];
    for (const path of paths) {
      const response = await get(
        path,
        path.startsWith('/api/v1') ? { 'x-api-key': expert.providerKey } : { cookie },
      );
      expect([path, response]).toEqual([path, unavailable]);
      expect(response.retryAfter).toBeGreaterThan(0);
    }
    const stream = await fetch(topicUrl(relay.hubUrl, `/svc/providers/${expert.userId}`), {
      headers: { 'x-api-key': expert.providerKey },
    });
    expect([stream.status, stream.headers.get('retry-after')]).toEqual([503, '2']);
    await stream.arrayBuffer();

    await proxies.postgres.restore();
    await allReady();
    await untilUp('gateway', 'postgres', '1');
    expect((await submit(relay.gatewayUrl, expert.consumerKey)).status).toBe(201);
    await eventually('GET /api/health is 200', async () => (await get('/api/health')).status === 200);
  });
});

describe('without Redis', () => {
  test('the dashboard is ready and responds with 503 and Retry-After; the worker is not ready', async () => {
    await eventually('sessions are read', async () => (await get('/api/me', { cookie })).status === 200);
    await proxies.redis.cut();
    await untilReadiness('dashboard', 200, ['redis']);
    await untilReadiness('expiry-worker', 503, ['redis']);
    await untilUp('dashboard', 'redis', '0');
    const response = await get('/api/me', { cookie });
    expect(response).toEqual(unavailable);
    expect(response.retryAfter).toBeGreaterThan(0);

    await proxies.redis.restore();
    await allReady();
    await eventually(
      'sessions are read again',
      async () => (await get('/api/me', { cookie })).status === 200,
    );
    await untilUp('dashboard', 'redis', '1');
  });
});

describe('without NATS', () => {
  test('every service is ready, and streams receive their events when NATS is back', async () => {
    const subscribe = () =>
      openStream(topicUrl(relay.hubUrl, `/svc/providers/${expert.userId}`), {
        headers: { 'x-api-key': expert.providerKey },
      });
    const before = await subscribe();
    await proxies.nats.cut();
    await untilReportedAway('nats', ['gateway', 'requests', 'messages', 'hub']);
    await untilReportedAway('stream', ['hub']);
    for (const name of Object.keys(relay.services) as ServiceName[])
      await eventually(`${name} is ready`, async () => (await readiness(name)).status === 200);
    await untilUp('hub', 'stream', '0');

    const during = await subscribe();
    expect(during.response.status).toBe(200);
    expect((await submit(relay.gatewayUrl, expert.consumerKey, { question: 'Meanwhile?' })).status).toBe(201);
    await proxies.nats.restore();
    for (const stream of [before, during]) {
      await stream.next({ question: 'Meanwhile?' });
      expect(stream.ended).toBe(false);
      await stream.close();
    }
    await untilUp('hub', 'stream', '1');
  });

  test('a revoked key is refused, and its streams and those of a session that signs out end', async () => {
    const visitor = createVisitor(relay.gatewayUrl);
    await visitor.call('POST', '/auth/dev', { user: 'nadia' });
    const { userId } = (await visitor.call('GET', '/api/me')).json;
    const { id, key } = (await visitor.call('POST', '/api/keys', { name: 'laptop', kind: 'provider' })).json;
    const topic = `/svc/providers/${userId}`;
    const { token } = (await visitor.call('POST', '/api/stream-token', { topics: [topic] })).json;
    const byKey = { 'x-api-key': key };
    const bySession = { authorization: `Bearer ${token}` };
    const subscribe = (headers: Record<string, string>) =>
      openStream(topicUrl(relay.hubUrl, topic), { headers });
    const streams = [await subscribe(byKey), await subscribe(bySession)];
    expect((await get('/api/v1/vault', byKey)).status).not.toBe(401);

    await proxies.nats.cut();
    await untilReportedAway('nats', ['gateway', 'requests', 'hub']);
    expect((await visitor.call('DELETE', `/api/keys/${id}`)).status).toBe(204);
    expect((await visitor.call('POST', '/logout')).status).toBeLessThan(400);
    for (const [at, reason] of ['key_revoked', 'signed_out'].entries()) {
      const stream = streams[at];
      await eventually(`the end of a stream: ${reason}`, () => stream?.ended);
      expect(stream?.events.at(-1)).toMatchObject({ event: 'hub.end', data: JSON.stringify({ reason }) });
    }
    await eventually('the key is refused', async () => (await get('/api/v1/vault', byKey)).status === 401);
    for (const headers of [byKey, bySession]) expect((await subscribe(headers)).response.status).toBe(401);
    await proxies.nats.restore();
    await allReady();
  });
});
