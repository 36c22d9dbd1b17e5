import { expect, test } from '@jest/globals';
import { KeyedCounter } from './keyed-counter.ts';

test('counts for each key, and forgets a key at 0', () => {
  const counter = new KeyedCounter();
  expect(counter.of('a')).toBe(0);
  expect([counter.add('a', 1), counter.add('a', 4), counter.add('b', 2)]).toEqual([1, 5, 2]);
  expect([counter.of('a'), counter.of('b'), counter.size]).toEqual([5, 2, 2]);
  expect([counter.add('a', -5), counter.add('b', -1)]).toEqual([0, 1]);
  expect([counter.of('a'), counter.of('b'), counter.size]).toEqual([0, 1, 1]);
});
