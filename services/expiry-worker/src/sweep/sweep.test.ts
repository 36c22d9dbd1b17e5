import { expect, test } from '@jest/globals';
import { sweepInterval } from './sweep.ts';

const hour = 3_600_000;

test.each([
  ['a conversation of 72 hours: every minute', 72 * hour, 60_000],
  ['of 10 minutes: every minute too', hour / 6, 60_000],
  ['a shorter one: ten times in its life', 15_000, 1_500],
  ['in whole milliseconds', 12_345, 1_234],
  ['never more often than twice a second', 1_000, 500],
])('%s', (_, ttl, interval) => {
  expect(sweepInterval(ttl)).toBe(interval);
});
