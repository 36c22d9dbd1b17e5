import { expect, test } from '@jest/globals';
import { sweepInterval } from './sweep.ts';

const hour = 3_600_000;

test.each([
  // A lifetime that an agent chooses is at least a minute: one sweep comes in its first half.
  ['conversations of 72 hours: twice a minute', 72 * hour, 30_000],
  ['conversations of 10 minutes: twice a minute', hour / 6, 30_000],
  ['shorter conversations: ten times in their lifetime', 15_000, 1_500],
  ['rounded down to milliseconds', 12_345, 1_234],
  ['at most twice a second', 1_000, 500],
])('%s', (_, ttl, interval) => {
  expect(sweepInterval(ttl)).toBe(interval);
});
