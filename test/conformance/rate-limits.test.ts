import { createFakeClock } from '@expert-relay/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Caller } from '../black-box/caller.ts';
import { openOwnRelay } from '../black-box/open-relay.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

/** The limits as they are when nobody says anything, and a clock that tests move. */
const limits = { RELAY_RATE_LIMIT_PAGES: '60', RELAY_RATE_LIMIT_API: '30', RELAY_RATE_LIMIT_POLL: '20' };
const clock = createFakeClock();
const nextMinute = () => clock.advance(60_000);

/** How many of these calls are let through before the first 429. */
async function letThrough(
  caller: Caller,
  path: string,
  headers: Record<string, string> = {},
): Promise<number> {
  for (let count = 0; count < 100; count++) {
    if ((await caller.get(path, headers)).status === 429) return count;
  }
  return Number.POSITIVE_INFINITY;
}

describe(row('decisions', 'rate limits'), () => {
  const setup = useRelay(() => openOwnRelay({ env: limits, clock }));
  beforeEach(nextMinute);

  test(row('errors', '429'), async () => {
    await letThrough(setup.relay.anonymous, '/api/v1/whoami');
    const { headers, json } = await setup.relay.anonymous.get('/api/v1/whoami');
    expect(headers['retry-after']).toBe('60');
    expect(headers.ratelimit).toBe('"api";r=0;t=60');
    expect(headers['ratelimit-policy']).toBe('"api";q=30;w=60');
    expect(json.error).toBe('rate_limited');
  });

  test.each([
    [row('limits', 'general pages'), '/api/health', 60],
    [row('limits', 'API v1'), '/api/v1/whoami', 30],
    [row('limits', 'legacy polling'), '/api/v1/help/x', 20],
  ])('%s', async (_row, path, limit) => {
    expect(await letThrough(setup.relay.anonymous, path)).toBe(limit);
    nextMinute();
    expect(await letThrough(setup.relay.anonymous, path)).toBe(limit);
  });

  test('the most specific limit alone counts, and each counts for itself', async () => {
    const { anonymous } = setup.relay;
    expect(await letThrough(anonymous, '/api/v1/help/x')).toBe(20);
    expect(await letThrough(anonymous, '/api/v1/whoami')).toBe(30);
    expect(await letThrough(anonymous, '/auth/login')).toBe(60);
    // Used up by pages: the session API is one of them.
    expect((await setup.alice.session.get('/api/requests')).status).toBe(429);
  });

  test('the files of the web app count for nothing', async () => {
    const { text } = await setup.alice.session.get('/dashboard');
    const named = [...text.matchAll(/ (?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
    const paths = [...named, '/dashboard/icons/icon-192.png', '/favicon.ico'];
    expect(paths.filter((path) => path.startsWith('/dashboard/assets/'))).not.toEqual([]);
    nextMinute();
    for (let call = 0; call < 100; call++) {
      const { status } = await fetch(`${setup.relay.url}${paths[call % paths.length]}`);
      expect(status).toBe(200);
    }
    expect(await letThrough(setup.relay.anonymous, '/auth/login')).toBe(60);
  });

  test('the headers count down', async () => {
    const left = [];
    for (let call = 0; call < 3; call++)
      left.push((await setup.relay.anonymous.get('/api/v1/help/x')).headers.ratelimit);
    expect(left).toEqual(['"poll";r=19;t=60', '"poll";r=18;t=60', '"poll";r=17;t=60']);
  });

  test('an address that somebody claims to forward for is not believed', async () => {
    let count = 0;
    for (; count < 100; count++) {
      const address = `203.0.113.${count}`;
      const headers = { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address };
      if ((await setup.relay.anonymous.get('/api/v1/whoami', headers)).status === 429) break;
    }
    expect(count).toBe(30);
  });
});

describe('behind a trusted proxy, with one limit switched off', () => {
  const env = { ...limits, RELAY_TRUSTED_PROXIES: '127.0.0.1', RELAY_RATE_LIMIT_POLL: '0' };
  const setup = useRelay(() => openOwnRelay({ env, clock }));
  const through = (address: string) =>
    letThrough(setup.relay.anonymous, '/api/v1/whoami', { 'x-forwarded-for': address });

  test('each address has its own limit', async () => {
    expect(await through('203.0.113.1')).toBe(30);
    expect(await through('203.0.113.2')).toBe(30);
    expect(await through('::ffff:203.0.113.1')).toBe(0);
    // What the client itself wrote before the proxy's entry counts for nothing.
    expect(await through('198.51.100.7, 203.0.113.1')).toBe(0);
  });

  test('IPv6 addresses are counted by /64', async () => {
    expect(await through('2001:db8:1:2::1')).toBe(30);
    expect(await through('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(0);
    expect(await through('2001:db8:1:3::1')).toBe(30);
  });

  test('0 switches a limit off', async () => {
    expect(await letThrough(setup.relay.anonymous, '/api/v1/help/x')).toBe(Number.POSITIVE_INFINITY);
  });
});
