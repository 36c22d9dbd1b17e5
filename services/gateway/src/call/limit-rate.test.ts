import { createFakeClock, eventually } from '@expert-relay/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { useTestGateway } from '../testing/test-gateway.ts';

const clock = createFakeClock();
const gateway = useTestGateway({
  clock,
  env: {
    RELAY_RATE_LIMIT_PAGES: '3',
    RELAY_RATE_LIMIT_API: '2',
    RELAY_RATE_LIMIT_POLL: '1',
    RELAY_TRUSTED_PROXIES: '127.0.0.1',
  },
});
beforeEach(() => clock.advance(60_000));

const from = (address: string, path: string, method = 'GET') =>
  ask(gateway.url, { path, method, headers: { 'x-forwarded-for': address } });
const statuses = async (calls: Promise<{ status: number }>[]) =>
  (await Promise.all(calls)).map(({ status }) => status);

describe('rate limits:', () => {
  test('a call counts for the most specific limit only: pages, v1 or poll', async () => {
    const poll = '/api/v1/help/aaaaaaaaaaaaaaaaaaaaaa';
    expect(await statuses([from('192.0.2.1', poll)])).toEqual([200]);
    expect((await from('192.0.2.1', poll)).status).toBe(429);
    expect((await from('192.0.2.1', '/api/v1/whoami')).status).toBe(401);
    expect((await from('192.0.2.1', '/api/v1/help', 'POST')).status).toBe(400);
    expect((await from('192.0.2.1', '/api/v1/whoami')).status).toBe(429);
    for (const path of ['/dashboard', '/api/me', '/nowhere']) {
      expect((await from('192.0.2.1', path)).status).toBe(path === '/nowhere' ? 404 : 200);
    }
    expect((await from('192.0.2.1', '/api/health')).status).toBe(429);
  });

  test('a response has the calls that are left, and a refusal has Retry-After', async () => {
    const first = await from('192.0.2.2', '/api/v1/whoami');
    expect(first.headers['ratelimit-policy']).toBe('"api";q=2;w=60');
    expect(first.headers.ratelimit).toBe('"api";r=1;t=60');
    clock.advance(15_000);
    await from('192.0.2.2', '/api/v1/whoami');
    const refused = await from('192.0.2.2', '/api/v1/whoami');
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('60');
    expect(refused.headers.ratelimit).toBe('"api";r=0;t=45');
    expect(refused.headers['content-type']).toBe('application/problem+json');
    expect(refused.json).toMatchObject({ status: 429, error: 'rate_limited' });
    expect(await gateway.metric('relay_gateway_rate_limited_total', { limit: 'api' })).toBeGreaterThan(0);
  });

  test('calls are accepted again after a minute', async () => {
    for (const expected of [401, 401, 429]) {
      expect((await from('192.0.2.3', '/api/v1/whoami')).status).toBe(expected);
    }
    clock.advance(60_000);
    expect((await from('192.0.2.3', '/api/v1/whoami')).status).toBe(401);
  });

  test('unknown v1 paths count as v1, unknown others as pages', async () => {
    expect((await from('192.0.2.4', '/api/v1/unknown')).headers['ratelimit-policy']).toMatch('"api"');
    expect((await from('192.0.2.4', '/api/v1/a//b')).headers['ratelimit-policy']).toMatch('"api"');
    expect((await from('192.0.2.4', '/unknown')).headers['ratelimit-policy']).toMatch('"pages"');
  });

  test('assets and preflights have no limit', async () => {
    const assets = Array.from({ length: 8 }, () => from('192.0.2.5', '/dashboard/assets/a-1.js'));
    expect(await statuses(assets)).toEqual(Array(8).fill(200));
    const preflight = () =>
      ask(gateway.url, {
        method: 'OPTIONS',
        headers: {
          'x-forwarded-for': '192.0.2.5',
          origin: 'https://relay.example',
          'access-control-request-method': 'POST',
        },
      });
    expect(await statuses(Array.from({ length: 8 }, preflight))).toEqual(Array(8).fill(204));
    expect((await from('192.0.2.5', '/dashboard')).headers.ratelimit).toBe('"pages";r=2;t=60');
  });

  test('an IPv6 /64 counts as one client', async () => {
    await from('2001:db8:1:2::1', '/api/v1/whoami');
    await from('2001:db8:1:2:ffff::2', '/api/v1/whoami');
    expect((await from('2001:db8:1:2::3', '/api/v1/whoami')).status).toBe(429);
    expect((await from('2001:db8:1:3::1', '/api/v1/whoami')).status).toBe(401);
  });
});

describe('access lines:', () => {
  const linesSince = (start: number, level: string) =>
    gateway.lines.slice(start).filter((line) => line.msg === 'call' && line.level === level);

  test.each([
    ['refused', 'GET', '/api/v1/whoami', {}],
    ['for an asset', 'GET', '/dashboard/assets/a-1.js', {}],
    [
      'a preflight',
      'OPTIONS',
      '/api/v1/help',
      { origin: 'https://relay.example', 'access-control-request-method': 'POST' },
    ],
  ])(
    'of the calls of a client that are %s, 120 a minute are written at info',
    async (_, method, path, headers) => {
      const call = (client: string) =>
        ask(gateway.url, { path, method, headers: { 'x-forwarded-for': client, ...headers } });
      const start = gateway.lines.length;
      for (let host = 0; host < 130; host++) await call(`2001:db8:77::${host}`);
      await eventually('all lines', () => linesSince(start, 'debug').length === 10);
      expect(linesSince(start, 'info')).toHaveLength(120);
      await call('2001:db8:77:1::1');
      await eventually('a line of another client', () => linesSince(start, 'info').length === 121);
      clock.advance(60_000);
      await call('2001:db8:77::1');
      await eventually('a line in the next minute', () => linesSince(start, 'info').length === 122);
    },
  );

  test('of accepted calls that a limit bounds are all written at info', async () => {
    const start = gateway.lines.length;
    for (let client = 1; client <= 130; client++) await from(`198.51.100.${client}`, '/dashboard');
    await eventually('all lines', () => linesSince(start, 'info').length === 130);
    expect(linesSince(start, 'debug')).toEqual([]);
  });
});
