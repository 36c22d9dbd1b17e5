import { randomBytes } from 'node:crypto';
import type { ParsedApiKey } from '@expert-relay/kit/api-key';
import type { KeyPrincipal } from '@expert-relay/kit/principal';
import { createFakeClock } from '@expert-relay/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createKeyCache } from './create-key-cache.ts';

const inventKey = (): ParsedApiKey => ({ kind: 'consumer', digest: randomBytes(32) });

const principal: KeyPrincipal = {
  kind: 'consumer',
  apiKeyId: 'key-1',
  userId: 'user-1',
  secret: { createdAt: 0 },
};

/** Ends look-ups that a test has left open, since they have timers. */
const openLookUps: (() => void)[] = [];
afterEach(() => {
  for (const end of openLookUps.splice(0)) end();
});

const afterPromises = () => new Promise((resolve) => setImmediate(resolve));

/** A cache whose look-ups end when the test calls `end` or `fail`. */
function createCache() {
  const clock = createFakeClock();
  const lookUps: { key: ParsedApiKey; end(principal?: KeyPrincipal): void; fail(): void }[] = [];
  const cache = createKeyCache({
    clock,
    lookUp: (key) =>
      new Promise((end, fail) => {
        lookUps.push({ key, end, fail: () => fail(new Error('away')) });
        openLookUps.push(() => end(undefined));
      }),
  });
  return { clock, lookUps, cache };
}

/** The same with a key that was just found. */
async function createCacheWithKey() {
  const { lookUps, cache, clock } = createCache();
  const key = inventKey();
  const found = cache.find(key);
  lookUps[0]?.end(principal);
  await found;
  return { lookUps, cache, clock, key };
}

describe('a key that was found', () => {
  test('is returned at once for 5 s, counted from the start of its look-up', async () => {
    const { clock, lookUps, cache } = createCache();
    const key = inventKey();
    const found = cache.find(key);
    clock.advance(2_000);
    lookUps[0]?.end(principal);
    expect(await found).toBe(principal);
    clock.advance(2_999);
    expect(cache.find(key)).toBe(principal);
    clock.advance(1);
    expect(cache.find(key)).toBeInstanceOf(Promise);
    expect(lookUps).toHaveLength(2);
  });

  test('in regular use is looked up again in the background before the 5 s are over', async () => {
    const { clock, lookUps, cache, key } = await createCacheWithKey();
    clock.advance(3_999);
    expect(cache.find(key)).toBe(principal);
    expect(lookUps).toHaveLength(1);
    clock.advance(1);
    expect(cache.find(key)).toBe(principal);
    expect(cache.find(key)).toBe(principal);
    expect(lookUps).toHaveLength(2);
    lookUps[1]?.end(principal);
    await afterPromises();
    clock.advance(3_999);
    expect(cache.find(key)).toBe(principal);
    expect(lookUps).toHaveLength(2);
  });

  test('is no longer valid when a later look-up does not find it', async () => {
    const { clock, lookUps, cache, key } = await createCacheWithKey();
    clock.advance(4_000);
    expect(cache.find(key)).toBe(principal);
    lookUps[1]?.end();
    await afterPromises();
    expect(cache.find(key)).toBeUndefined();
  });

  test('is valid until its 5 s are over when it cannot be looked up again', async () => {
    const { clock, lookUps, cache, key } = await createCacheWithKey();
    clock.advance(4_000);
    expect(cache.find(key)).toBe(principal);
    lookUps[1]?.fail();
    await afterPromises();
    expect(cache.find(key)).toBe(principal);
    clock.advance(1_000);
    const again = cache.find(key);
    lookUps.at(-1)?.fail();
    await expect(again).rejects.toThrow('away');
  });

  test('is looked up again when the clock was set back', async () => {
    const { clock, lookUps, cache, key } = await createCacheWithKey();
    clock.advance(-1);
    expect(cache.find(key)).toBeInstanceOf(Promise);
    expect(lookUps).toHaveLength(2);
  });

  test('is looked up again when it was revoked', async () => {
    const { lookUps, cache, key } = await createCacheWithKey();
    cache.forget('another');
    expect(cache.find(key)).toBe(principal);
    cache.forget('key-1');
    void cache.find(key);
    expect(lookUps).toHaveLength(2);
  });

  test('is not stored when it was revoked during its look-up', async () => {
    const { lookUps, cache } = createCache();
    const key = inventKey();
    const found = cache.find(key);
    cache.forget('key-1');
    lookUps[0]?.end(principal);
    await found;
    expect(cache.find(key)).toBeInstanceOf(Promise);
  });

  test('is not returned for another key whose digest has the same beginning', async () => {
    const { lookUps, cache, key } = await createCacheWithKey();
    const other = { ...key, digest: Buffer.from(key.digest) };
    other.digest[31] = (other.digest[31] ?? 0) ^ 1;
    expect(cache.find(other)).toBeInstanceOf(Promise);
    expect(lookUps[1]?.key).toBe(other);
  });
});

describe('a secret that a rotation has replaced', () => {
  const withEnd = (endsAt: number): KeyPrincipal => ({ ...principal, secret: { createdAt: 0, endsAt } });

  async function createCacheWithEnd(lifeMs: number) {
    const { lookUps, cache, clock } = createCache();
    const key = inventKey();
    const replaced = withEnd(clock.now() + lifeMs);
    const found = cache.find(key);
    lookUps[0]?.end(replaced);
    await found;
    return { lookUps, cache, clock, key, replaced };
  }

  test.each([0, 1, 1_000, 3_999, 4_000, 4_999])(
    'that ends in %i ms is looked up again from then on',
    async (lifeMs) => {
      const { lookUps, cache, clock, key, replaced } = await createCacheWithEnd(lifeMs);
      if (lifeMs > 0) {
        clock.advance(lifeMs - 1);
        expect(cache.find(key)).toBe(replaced);
        expect(cache.recall(key)).toBe(replaced);
        clock.advance(1);
      }
      expect(cache.recall(key)).toBeUndefined();
      const again = cache.find(key);
      expect(again).toBeInstanceOf(Promise);
      lookUps.at(-1)?.end();
      expect(await again).toBeUndefined();
      expect(cache.find(key)).toBeUndefined();
    },
  );

  test('whose look-up fails after its end is not valid', async () => {
    const { lookUps, cache, clock, key } = await createCacheWithEnd(1_000);
    clock.advance(1_000);
    const again = cache.find(key);
    lookUps.at(-1)?.fail();
    await expect(again).rejects.toThrow('away');
    expect(cache.find(key)).toBeInstanceOf(Promise);
  });

  test('is valid as long as the database says so, even if this clock is ahead', async () => {
    const { lookUps, cache, clock, key, replaced } = await createCacheWithEnd(1_000);
    clock.advance(1_000);
    const again = cache.find(key);
    lookUps.at(-1)?.end(replaced);
    expect(await again).toBe(replaced);
    expect(cache.find(key)).toBeInstanceOf(Promise);
  });
});

test('an unknown key is stored for a second', async () => {
  const { clock, lookUps, cache } = createCache();
  const key = inventKey();
  const found = cache.find(key);
  lookUps[0]?.end();
  expect(await found).toBeUndefined();
  expect(cache.find(key)).toBeUndefined();
  clock.advance(1_000);
  void cache.find(key);
  expect(lookUps).toHaveLength(2);
});

test('calls at the same time share one look-up, and its failure is not stored', async () => {
  const { lookUps, cache } = createCache();
  const key = inventKey();
  const all = Array.from({ length: 10 }, () => cache.find(key));
  expect(lookUps).toHaveLength(1);
  lookUps[0]?.fail();
  for (const one of all) await expect(one).rejects.toThrow('away');
  const again = cache.find(key);
  lookUps[1]?.end(principal);
  expect(await again).toBe(principal);
});

test('invented keys do not remove valid ones, and both are limited', async () => {
  const clock = createFakeClock();
  const key = inventKey();
  let count = 0;
  const cache = createKeyCache({
    clock,
    lookUp: async ({ digest }) => {
      count++;
      return digest === key.digest ? principal : undefined;
    },
  });
  await cache.find(key);
  const first = inventKey();
  await cache.find(first);
  for (let i = 0; i < 10_000; i++) await cache.find(inventKey());
  expect(cache.find(key)).toBe(principal);
  const before = count;
  await cache.find(first);
  expect(count).toBe(before + 1);
});

test('a look-up that does not end fails, and the next one starts again', async () => {
  const clock = createFakeClock();
  let count = 0;
  const cache = createKeyCache({
    clock,
    lookUpTimeoutMs: 20,
    lookUp() {
      count++;
      return new Promise(() => {});
    },
  });
  const key = inventKey();
  await expect(cache.find(key)).rejects.toThrow('no response within 20 ms');
  await expect(cache.find(key)).rejects.toThrow('no response within 20 ms');
  expect(count).toBe(2);
});
