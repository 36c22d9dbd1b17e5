import { randomBytes } from 'node:crypto';
import { createFakeClock } from '@expert-relay/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createKeyFinder, type GivenKey, type KeyPrincipal } from './create-key-finder.ts';

const given = (): GivenKey => ({ kind: 'consumer', digest: randomBytes(32) });

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Look-ups that end when the test says so, or with it. */
function stage() {
  const clock = createFakeClock();
  const asked: { given: GivenKey; end(key?: KeyPrincipal): void; fail(): void }[] = [];
  const finder = createKeyFinder({
    clock,
    lookUp: (given) =>
      new Promise((end, fail) => {
        asked.push({ given, end, fail: () => fail(new Error('away')) });
        ends.push(() => end(undefined));
      }),
  });
  const key: KeyPrincipal = { kind: 'consumer', apiKeyId: 'key-1', userId: 'user-1' };
  return { clock, asked, finder, key };
}

/** The same with a key that was found a moment ago. */
async function known() {
  const { asked, finder, key, ...rest } = stage();
  const mine = given();
  const found = finder.find(mine);
  asked[0]?.end(key);
  await found;
  return { asked, finder, key, mine, ...rest };
}

describe('a key that was found', () => {
  test('is there at once for 5 s, counted from the start of its look-up', async () => {
    const { clock, asked, finder, key } = stage();
    const mine = given();
    const found = finder.find(mine);
    clock.advance(2_000);
    asked[0]?.end(key);
    expect(await found).toBe(key);
    clock.advance(2_999);
    expect(finder.find(mine)).toBe(key);
    clock.advance(1);
    expect(finder.find(mine)).toBeInstanceOf(Promise);
    expect(asked).toHaveLength(2);
  });

  test('in steady use is looked up anew before the 5 s are over, and keeps nobody waiting', async () => {
    const { clock, asked, finder, key, mine } = await known();
    clock.advance(3_999);
    expect(finder.find(mine)).toBe(key);
    expect(asked).toHaveLength(1);
    clock.advance(1);
    expect(finder.find(mine)).toBe(key);
    expect(finder.find(mine)).toBe(key);
    expect(asked).toHaveLength(2);
    asked[1]?.end(key);
    await settled();
    clock.advance(3_999);
    expect(finder.find(mine)).toBe(key);
    expect(asked).toHaveLength(2);
  });

  test('and is gone when it is looked up anew, works no longer', async () => {
    const { clock, asked, finder, key, mine } = await known();
    clock.advance(4_000);
    expect(finder.find(mine)).toBe(key);
    asked[1]?.end();
    await settled();
    expect(finder.find(mine)).toBeUndefined();
  });

  test('and cannot be looked up anew, works until its 5 s are over', async () => {
    const { clock, asked, finder, key, mine } = await known();
    clock.advance(4_000);
    expect(finder.find(mine)).toBe(key);
    asked[1]?.fail();
    await settled();
    expect(finder.find(mine)).toBe(key);
    clock.advance(1_000);
    const again = finder.find(mine);
    asked.at(-1)?.fail();
    await expect(again).rejects.toThrow('away');
  });

  test('is looked up again when the clock was set back', async () => {
    const { clock, asked, finder, mine } = await known();
    clock.advance(-1);
    expect(finder.find(mine)).toBeInstanceOf(Promise);
    expect(asked).toHaveLength(2);
  });

  test('is asked for again when it was revoked', async () => {
    const { asked, finder, key, mine } = await known();
    finder.forget('another');
    expect(finder.find(mine)).toBe(key);
    finder.forget('key-1');
    void finder.find(mine);
    expect(asked).toHaveLength(2);
  });

  test('is not remembered when it was revoked while it was looked up', async () => {
    const { asked, finder, key } = stage();
    const mine = given();
    const found = finder.find(mine);
    finder.forget('key-1');
    asked[0]?.end(key);
    await found;
    expect(finder.find(mine)).toBeInstanceOf(Promise);
  });

  test('is not another one that begins alike', async () => {
    const { asked, finder, mine } = await known();
    const other = { ...mine, digest: Buffer.from(mine.digest) };
    other.digest[31] = (other.digest[31] ?? 0) ^ 1;
    expect(finder.find(other)).toBeInstanceOf(Promise);
    expect(asked[1]?.given).toBe(other);
  });
});

test('an unknown key is remembered for a second', async () => {
  const { clock, asked, finder } = stage();
  const mine = given();
  const found = finder.find(mine);
  asked[0]?.end();
  expect(await found).toBeUndefined();
  expect(finder.find(mine)).toBeUndefined();
  clock.advance(1_000);
  void finder.find(mine);
  expect(asked).toHaveLength(2);
});

test('many who ask at once share one look-up, and its failure is not remembered', async () => {
  const { asked, finder, key } = stage();
  const mine = given();
  const all = Array.from({ length: 10 }, () => finder.find(mine));
  expect(asked).toHaveLength(1);
  asked[0]?.fail();
  for (const one of all) await expect(one).rejects.toThrow('away');
  const again = finder.find(mine);
  asked[1]?.end(key);
  expect(await again).toBe(key);
});

test('invented keys do not push working ones out, and both are bounded', async () => {
  const clock = createFakeClock();
  const key: KeyPrincipal = { kind: 'consumer', apiKeyId: 'key-1', userId: 'user-1' };
  const mine = given();
  let asked = 0;
  const finder = createKeyFinder({
    clock,
    lookUp: async ({ digest }) => {
      asked++;
      return digest === mine.digest ? key : undefined;
    },
  });
  await finder.find(mine);
  const first = given();
  await finder.find(first);
  for (let i = 0; i < 10_000; i++) await finder.find(given());
  expect(finder.find(mine)).toBe(key);
  const before = asked;
  await finder.find(first);
  expect(asked).toBe(before + 1);
});

test('a look-up that never ends fails, and the next one starts anew', async () => {
  const clock = createFakeClock();
  let asked = 0;
  const finder = createKeyFinder({
    clock,
    lookUpLimit: 20,
    lookUp() {
      asked++;
      return new Promise(() => {});
    },
  });
  const mine = given();
  await expect(finder.find(mine)).rejects.toThrow('no answer within 20 ms');
  await expect(finder.find(mine)).rejects.toThrow('no answer within 20 ms');
  expect(asked).toBe(2);
});
