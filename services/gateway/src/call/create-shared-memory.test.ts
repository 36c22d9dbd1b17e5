import { expect, test } from '@jest/globals';
import { createSharedMemory } from './create-shared-memory.ts';

const mebibyte = 1_048_576;
const total = 16 * mebibyte;

/** Holds mebibytes for a client. `givenUp` lists what was given up, with its reason. */
function createHolder() {
  const givenUp: string[] = [];
  const memory = createSharedMemory<{ giveUp(reason: string): void }>({
    total,
    choose: ([oldest]) => oldest,
  });

  function hold(name: string, client: string, mebibytes: number) {
    const share = memory.open(client, {
      giveUp(reason) {
        givenUp.push(`${name}: ${reason}`);
        share.close();
      },
    });
    share.resize(mebibytes * mebibyte);
    return share;
  }
  return { memory, hold, givenUp };
}

test.each([
  ['an IPv4 address', '192.0.2.1', '192.0.2.1', '192.0.2.2'],
  ['an IPv6 /64', '2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:2::1'],
])('%s has a quarter, and beyond it gives up its own', (_, one, same, other) => {
  const { memory, hold, givenUp } = createHolder();
  hold('first', one, 3);
  hold('other', other, 3);
  hold('second', same, 1);
  expect(givenUp).toEqual([]);
  hold('third', one, 1);
  expect(givenUp).toEqual(['first: address']);
  expect(memory.bytes).toBe(5 * mebibyte);
});

test('an IPv6 /48 has a half', () => {
  const { hold, givenUp } = createHolder();
  for (const network of [1, 2, 3]) hold(`network ${network}`, `2001:db8:0:${network}::1`, 2);
  hold('large', '2001:db8:0:4::1', 2.5);
  expect(givenUp).toEqual(['large: address']);
  hold('other site', '2001:db8:1::1', 3);
  expect(givenUp).toHaveLength(1);
});

test('when all is used, the address that has most gives up', () => {
  const { memory, hold, givenUp } = createHolder();
  for (let index = 0; index < 3; index++) hold(`small ${index}`, `192.0.2.${index}`, 3);
  hold('large', '192.0.2.10', 4);
  hold('last', '192.0.2.11', 3);
  hold('newcomer', '192.0.2.12', 1);
  expect(givenUp).toEqual(['large: all']);
  expect(memory.bytes).toBe(13 * mebibyte);
});

test('what was kept is not given up, and memory that was closed is free', () => {
  const { memory, hold, givenUp } = createHolder();
  const kept = hold('kept', '192.0.2.1', 4);
  kept.keep();
  hold('second', '192.0.2.1', 1);
  expect(givenUp).toEqual(['second: address']);
  kept.close();
  kept.close();
  kept.resize(mebibyte);
  expect(memory.bytes).toBe(0);
  hold('third', '192.0.2.1', 4);
  expect(givenUp).toHaveLength(1);
});
