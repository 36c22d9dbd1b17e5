import { makeApiKey } from '@expert-relay/kit/api-key';
import { Problem } from '@expert-relay/kit/problem';
import { createFakeClock } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { FailureLimit, limitKeyExchange, RecentDigests } from './limit-key-exchange.ts';

const caller = { network: '192.0.2.1', callId: 'a call' };

function arrange() {
  const clock = createFakeClock();
  const failures = new FailureLimit({ perMinute: 1, clock });
  const state = { calls: 0, isValid: true };
  const exchange = limitKeyExchange({
    exchange: async () => {
      state.calls++;
      if (!state.isValid) throw new Problem('unauthorized');
      return 'a token';
    },
    failures,
    clock,
  });
  return { clock, failures, state, exchange };
}

test('a refused key is exchanged again after 5 s', async () => {
  const { clock, state, exchange } = arrange();
  const { text } = makeApiKey('consumer');
  state.isValid = false;
  await expect(exchange(text, [], caller)).rejects.toMatchObject({ status: 401 });
  state.isValid = true;
  clock.advance(4_999);
  await expect(exchange(text, [], caller)).rejects.toMatchObject({ status: 401 });
  expect(state.calls).toBe(1);
  clock.advance(1);
  expect(await exchange(text, [], caller)).toBe('a token');
});

test('beyond the limit of failures a key is served for 5 minutes after it was valid, and until it is refused', async () => {
  const { clock, failures, state, exchange } = arrange();
  const { text } = makeApiKey('consumer');
  await exchange(text, [], caller);
  const reachLimit = () => failures.add(caller.network);
  reachLimit();
  expect(await exchange(text, [], caller)).toBe('a token');
  clock.advance(299_999);
  reachLimit();
  expect(await exchange(text, [], caller)).toBe('a token');
  clock.advance(300_000);
  reachLimit();
  await expect(exchange(text, [], caller)).rejects.toMatchObject({ reason: 'too_many_failures' });

  clock.advance(60_000);
  await exchange(text, [], caller);
  reachLimit();
  state.isValid = false;
  await expect(exchange(text, [], caller)).rejects.toMatchObject({ status: 401 });
  clock.advance(5_000);
  await expect(exchange(text, [], caller)).rejects.toMatchObject({ reason: 'too_many_failures' });
});

test('64 calls of one network and 256 of all wait at once', async () => {
  const clock = createFakeClock();
  const waiting: (() => void)[] = [];
  const exchange = limitKeyExchange({
    exchange: () => new Promise((resolve) => waiting.push(() => resolve('a token'))),
    failures: new FailureLimit({ perMinute: 0, clock }),
    clock,
  });
  const call = (network: string) => exchange(makeApiKey('consumer').text, [], { ...caller, network });
  const busy = { reason: 'busy' };

  const first = Array.from({ length: 64 }, () => call('a'));
  await expect(call('a')).rejects.toMatchObject(busy);
  const rest = ['b', 'c', 'd'].flatMap((network) => Array.from({ length: 64 }, () => call(network)));
  await expect(call('e')).rejects.toMatchObject(busy);
  expect(waiting).toHaveLength(256);

  for (const answer of waiting.splice(0)) answer();
  await Promise.all([...first, ...rest]);
  const next = [call('a'), call('e')];
  for (const answer of waiting.splice(0)) answer();
  expect(await Promise.all(next)).toEqual(['a token', 'a token']);
});

test('when there are too many keys, the oldest are forgotten', () => {
  const digests = new RecentDigests({ clock: createFakeClock(), rememberedMs: 1_000, max: 2 });
  for (const digest of ['a', 'b', 'a', 'c']) digests.add(digest);
  expect(['a', 'b', 'c'].filter((digest) => digests.has(digest))).toEqual(['a', 'c']);
});
