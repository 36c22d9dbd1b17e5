import { createFakeClock } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { openOwnRelay } from '../black-box/open-relay.ts';
import type { Relay } from '../black-box/relay.ts';
import { row } from './contract.ts';

/** The limits as they are when nobody says anything, and a clock that a test can move. */
const defaults = { RELAY_RATE_LIMIT_PAGES: '60', RELAY_RATE_LIMIT_API: '30', RELAY_RATE_LIMIT_POLL: '20' };

async function withRelay(
  act: (relay: Relay, nextMinute: () => void) => Promise<void>,
  env: Record<string, string> = {},
) {
  const clock = createFakeClock();
  const relay = await openOwnRelay({ env: { ...defaults, ...env }, clock });
  try {
    await act(relay, () => clock.advance(60_000));
  } finally {
    await relay.stop();
  }
}

/** How many of these calls are let through before the first 429. */
async function letThrough(relay: Relay, path: string, headers: Record<string, string> = {}): Promise<number> {
  for (let count = 0; count < 100; count++) {
    const { status } = await relay.nobody.get(path, headers);
    if (status === 429) return count;
  }
  return Number.POSITIVE_INFINITY;
}

describe(row('silences', 'rate limits'), () => {
  test(
    row('errors', '429'),
    () =>
      withRelay(async (relay) => {
        await letThrough(relay, '/api/v1/whoami');
        const { headers, json } = await relay.nobody.get('/api/v1/whoami');
        expect(headers['retry-after']).toBe('60');
        expect(headers.ratelimit).toBe('"api";r=0;t=60');
        expect(headers['ratelimit-policy']).toBe('"api";q=30;w=60');
        expect(json.error).toBe('rate_limited');
      }),
    30_000,
  );

  test.each([
    [row('limits', 'general pages'), '/api/health', 60],
    [row('limits', 'API v1'), '/api/v1/whoami', 30],
    [row('limits', 'legacy polling'), '/api/v1/help/x', 20],
  ])(
    '%s',
    (_row, path, limit) =>
      withRelay(async (relay, nextMinute) => {
        expect(await letThrough(relay, path)).toBe(limit);
        nextMinute();
        expect(await letThrough(relay, path)).toBe(limit);
      }),
    30_000,
  );

  test(
    'the most specific limit alone counts, and each counts for itself',
    () =>
      withRelay(async (relay) => {
        expect(await letThrough(relay, '/api/v1/help/x')).toBe(20);
        expect(await letThrough(relay, '/api/v1/whoami')).toBe(30);
        expect(await letThrough(relay, '/auth/login')).toBe(60);
        // Used up by pages: the session API is one of them.
        expect((await relay.nobody.get('/api/requests')).status).toBe(429);
      }),
    30_000,
  );

  test(
    'the headers count down',
    () =>
      withRelay(async (relay) => {
        const left = [];
        for (let call = 0; call < 3; call++)
          left.push((await relay.nobody.get('/api/v1/help/x')).headers.ratelimit);
        expect(left).toEqual(['"poll";r=19;t=60', '"poll";r=18;t=60', '"poll";r=17;t=60']);
      }),
    30_000,
  );

  test(
    'an address that somebody claims to forward for is not believed',
    () =>
      withRelay(async (relay) => {
        let count = 0;
        for (; count < 100; count++) {
          const headers = {
            'x-forwarded-for': `203.0.113.${count}`,
            forwarded: `for=203.0.113.${count}`,
            'x-real-ip': `203.0.113.${count}`,
          };
          if ((await relay.nobody.get('/api/v1/whoami', headers)).status === 429) break;
        }
        expect(count).toBe(30);
      }),
    30_000,
  );

  test(
    'behind a trusted proxy each address has its own, IPv6 by /64',
    () =>
      withRelay(
        async (relay) => {
          const through = (address: string) =>
            letThrough(relay, '/api/v1/help/x', { 'x-forwarded-for': address });
          expect(await through('203.0.113.1')).toBe(20);
          expect(await through('203.0.113.2')).toBe(20);
          // What the client itself wrote before the proxy's entry counts for nothing.
          expect(await through('198.51.100.7, 203.0.113.1')).toBe(0);
          expect(await through('2001:db8:1:2::1')).toBe(20);
          expect(await through('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(0);
          expect(await through('2001:db8:1:3::1')).toBe(20);
          expect(await through('::ffff:203.0.113.1')).toBe(0);
        },
        { RELAY_TRUSTED_PROXIES: '127.0.0.1' },
      ),
    30_000,
  );

  test(
    '0 switches a limit off',
    () =>
      withRelay(
        async (relay) => expect(await letThrough(relay, '/api/v1/help/x')).toBe(Number.POSITIVE_INFINITY),
        {
          RELAY_RATE_LIMIT_POLL: '0',
        },
      ),
    30_000,
  );
});
