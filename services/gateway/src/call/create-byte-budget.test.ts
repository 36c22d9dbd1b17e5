import { expect, test } from '@jest/globals';
import { createByteBudget } from './create-byte-budget.ts';

/** Opens leases by name. `evicted` lists those that were evicted. */
function createHolder(total: number) {
  const evicted: string[] = [];
  const budget = createByteBudget(total);
  function open(name: string, bytes: number) {
    const lease = budget.open(() => {
      evicted.push(name);
      lease.close();
    });
    lease.resize(bytes);
    return lease;
  }
  return { budget, open, evicted };
}

test('when all bytes are used, the oldest are evicted, as many as the newcomer needs', () => {
  const { budget, open, evicted } = createHolder(10);
  for (const name of ['first', 'second', 'third']) open(name, 3);
  open('small', 1);
  expect(evicted).toEqual([]);
  open('newcomer', 5);
  expect(evicted).toEqual(['first', 'second']);
  expect(budget.bytes).toBe(9);
});

test('a pinned lease is not evicted; when nothing else is left, the newcomer is', () => {
  const { budget, open, evicted } = createHolder(10);
  const first = open('first', 9);
  first.pin();
  open('second', 2);
  expect(evicted).toEqual(['second']);
  expect(budget.bytes).toBe(9);
  first.close();
  first.close();
  first.resize(5);
  expect(budget.bytes).toBe(0);
});
