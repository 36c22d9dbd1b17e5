import { makeApiKey } from '@expert-relay/kit/api-key';
import { networkOf } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import { createFakeClock } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { FailureLimit, limitKeyExchange, RecentDigests } from './limit-key-exchange.ts';
import type { Grant } from './stream-token.ts';

const call = { network: networkOf('192.0.2.1'), callId: 'a call' };
const grantOf = (userId: string): Grant => ({
  topics: new Set(),
  credential: { kind: 'key', id: 'key:one', userId, since: 0 },
});
const grant = grantOf('ada');

function arrange() {
  const clock = createFakeClock();
  const failures = new FailureLimit({ perMinute: 1, clock });
  const state = { calls: 0, isValid: true };
  const exchange = limitKeyExchange({
    exchange: async () => {
      state.calls++;
      if (!state.isValid) throw new Problem('unauthorized');
      return grant;
    },
    failures,
    clock,
  });
  return { clock, failures, state, exchange };
}

/** Exchanges that wait until they are answered together. */
function arrangeWaiting() {
  const clock = createFakeClock();
  let answers: (() => void)[] = [];
  const waiting = { most: 0 };
  const users = new Map<string, string>();
  let isAtOnce = false;
  const exchange = limitKeyExchange({
    exchange: async (apiKey) => {
      if (!isAtOnce) await new Promise<void>((resolve) => answers.push(resolve));
      return grantOf(users.get(apiKey) ?? apiKey);
    },
    failures: new FailureLimit({ perMinute: 0, clock }),
    clock,
  });
  async function call(apiKey: string, address: string, when?: 'at once', userId?: string) {
    if (userId !== undefined) users.set(apiKey, userId);
    isAtOnce = when === 'at once';
    const called = exchange(apiKey, [], { network: networkOf(address), callId: 'a call' });
    isAtOnce = false;
    called.catch(() => {});
    return called;
  }
  return {
    call,
    waiting,
    async answerAll(started: Promise<Grant | undefined>[]) {
      waiting.most = Math.max(waiting.most, answers.length);
      for (const answer of answers) answer();
      answers = [];
      return Promise.allSettled(started);
    },
  };
}

test('a refused key is exchanged again after 5 s', async () => {
  const { clock, state, exchange } = arrange();
  const { text } = makeApiKey('consumer');
  state.isValid = false;
  await expect(exchange(text, [], call)).rejects.toMatchObject({ status: 401 });
  state.isValid = true;
  clock.advance(4_999);
  await expect(exchange(text, [], call)).rejects.toMatchObject({ status: 401 });
  expect(state.calls).toBe(1);
  clock.advance(1);
  expect(await exchange(text, [], call)).toBe(grant);
});

test('beyond the limit of failures a key is served for 5 minutes after it was valid, and until it is refused', async () => {
  const { clock, failures, state, exchange } = arrange();
  const { text } = makeApiKey('consumer');
  await exchange(text, [], call);
  const reachLimit = () => failures.add(call.network);
  reachLimit();
  expect(await exchange(text, [], call)).toBe(grant);
  clock.advance(299_999);
  reachLimit();
  expect(await exchange(text, [], call)).toBe(grant);
  clock.advance(300_000);
  reachLimit();
  await expect(exchange(text, [], call)).rejects.toMatchObject({ reason: 'too_many_failures' });

  clock.advance(60_000);
  await exchange(text, [], call);
  reachLimit();
  state.isValid = false;
  await expect(exchange(text, [], call)).rejects.toMatchObject({ status: 401 });
  clock.advance(5_000);
  await expect(exchange(text, [], call)).rejects.toMatchObject({ reason: 'too_many_failures' });
});

test.each([
  { holder: 'one address', most: 64, addresses: ['192.0.2.1'], others: '192.0.2.2' },
  { holder: 'all', most: 256, addresses: [1, 2, 3, 4, 5].map((n) => `192.0.2.${n}`), isKnown: true },
  {
    holder: 'all keys that were not valid recently',
    most: 128,
    addresses: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
  },
])('at most $most calls of $holder wait at once', async ({ most, addresses, others, isKnown }) => {
  const { call, waiting, answerAll } = arrangeWaiting();
  const keys = Array.from({ length: 64 * addresses.length + 2 }, () => makeApiKey('consumer').text);
  if (isKnown) for (const key of keys) await call(key, '198.51.100.1', 'at once');
  const [first = '', second = '', ...rest] = keys;
  const started = rest.map((key, index) => call(key, addresses[Math.floor(index / 64)] ?? ''));
  const results = await answerAll(started);
  expect(waiting.most).toBe(most);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(started.length - most);
  const next = [call(first, addresses[0] ?? ''), call(second, others ?? '192.0.2.1')];
  expect((await answerAll(next)).every(({ status }) => status === 'fulfilled')).toBe(true);
});

test('at most 64 calls of one user wait at once, with 36 keys and from any address', async () => {
  const { call, waiting, answerAll } = arrangeWaiting();
  const keys = Array.from({ length: 36 }, () => makeApiKey('provider').text);
  for (const key of keys) await call(key, '198.51.100.1', 'at once', 'ada');
  const bob = makeApiKey('provider').text;
  await call(bob, '198.51.100.1', 'at once', 'bob');
  const started = keys.flatMap((key) => [1, 2, 3].map((host) => call(key, `192.0.2.${host}`)));
  started.push(call(bob, '192.0.2.1'));
  const results = await answerAll(started);
  expect(waiting.most).toBe(65);
  expect(results.at(-1)?.status).toBe('fulfilled');
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(65);
});

test('failures are limited by address, and by IPv6 /64', () => {
  const failures = new FailureLimit({ perMinute: 2, clock: createFakeClock() });
  for (const host of [1, 2]) failures.add(networkOf(`2001:db8::${host}`));
  expect(failures.isReached(networkOf('2001:db8::3'))).toBe(true);
  expect(failures.isReached(networkOf('2001:db8:0:1::1'))).toBe(false);
});

test('when there are too many keys, the oldest are forgotten', () => {
  const digests = new RecentDigests<true>({ clock: createFakeClock(), rememberedMs: 1_000, max: 2 });
  for (const digest of ['a', 'b', 'a', 'c']) digests.set(digest, true);
  expect(['a', 'b', 'c'].filter((digest) => digests.get(digest))).toEqual(['a', 'c']);
});
