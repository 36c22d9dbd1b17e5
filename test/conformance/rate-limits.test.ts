import { createFakeClock } from '@expert-relay/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Caller } from '../black-box/caller.ts';
import { openOwnRelay } from '../black-box/open-relay.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

/** The default limits. */
const limits = { RELAY_RATE_LIMIT_PAGES: '60', RELAY_RATE_LIMIT_API: '30', RELAY_RATE_LIMIT_POLL: '20' };
const clock = createFakeClock();
const nextMinute = () => clock.advance(60_000);

/** The number of calls that are accepted before the first 429. */
async function countAccepted(
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
    await countAccepted(setup.relay.anonymous, '/api/v1/whoami');
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
    expect(await countAccepted(setup.relay.anonymous, path)).toBe(limit);
    nextMinute();
    expect(await countAccepted(setup.relay.anonymous, path)).toBe(limit);
  });

  test('only the most specific limit counts, and each limit has its own counter', async () => {
    const { anonymous } = setup.relay;
    expect(await countAccepted(anonymous, '/api/v1/help/x')).toBe(20);
    expect(await countAccepted(anonymous, '/api/v1/whoami')).toBe(30);
    expect(await countAccepted(anonymous, '/auth/login')).toBe(60);
    // The session API counts as pages, and that limit is used up.
    expect((await setup.alice.session.get('/api/requests')).status).toBe(429);
  });

  test('the files of the web app are not counted', async () => {
    const { text } = await setup.alice.session.get('/dashboard');
    const named = [...text.matchAll(/ (?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
    const paths = [...named, '/dashboard/icons/icon-192.png', '/favicon.ico'];
    expect(paths.filter((path) => path.startsWith('/dashboard/assets/'))).not.toEqual([]);
    nextMinute();
    for (let call = 0; call < 100; call++) {
      const { status } = await fetch(`${setup.relay.url}${paths[call % paths.length]}`);
      expect(status).toBe(200);
    }
    expect(await countAccepted(setup.relay.anonymous, '/auth/login')).toBe(60);
  });

  test('the ratelimit header counts down', async () => {
    const headers = [];
    for (let call = 0; call < 3; call++)
      headers.push((await setup.relay.anonymous.get('/api/v1/help/x')).headers.ratelimit);
    expect(headers).toEqual(['"poll";r=19;t=60', '"poll";r=18;t=60', '"poll";r=17;t=60']);
  });

  test('forwarding headers of an untrusted client are ignored', async () => {
    let count = 0;
    for (; count < 100; count++) {
      const address = `203.0.113.${count}`;
      const headers = { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address };
      if ((await setup.relay.anonymous.get('/api/v1/whoami', headers)).status === 429) break;
    }
    expect(count).toBe(30);
  });
});

describe('behind a trusted proxy', () => {
  const env = { ...limits, RELAY_TRUSTED_PROXIES: '127.0.0.1', RELAY_RATE_LIMIT_POLL: '0' };
  const setup = useRelay(() => openOwnRelay({ env, clock }));
  const acceptedFrom = (address: string) =>
    countAccepted(setup.relay.anonymous, '/api/v1/whoami', { 'x-forwarded-for': address });

  test('each address has its own limit', async () => {
    expect(await acceptedFrom('203.0.113.1')).toBe(30);
    expect(await acceptedFrom('203.0.113.2')).toBe(30);
    expect(await acceptedFrom('::ffff:203.0.113.1')).toBe(0);
    // Only the proxy's entry counts, which is the last one.
    expect(await acceptedFrom('198.51.100.7, 203.0.113.1')).toBe(0);
  });

  test('IPv6 addresses are counted by /64', async () => {
    expect(await acceptedFrom('2001:db8:1:2::1')).toBe(30);
    expect(await acceptedFrom('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(0);
    expect(await acceptedFrom('2001:db8:1:3::1')).toBe(30);
  });

  test('a limit of 0 is off', async () => {
    expect(await countAccepted(setup.relay.anonymous, '/api/v1/help/x')).toBe(Number.POSITIVE_INFINITY);
  });
});
