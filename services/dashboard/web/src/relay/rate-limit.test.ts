import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { connection } from './connection.ts';
import { gapMs, noteRateLimit } from './rate-limit.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  connection.set({ kind: 'online' });
  jest.useRealTimers();
});

const note = (name: string, left: number, seconds: number) =>
  noteRateLimit(
    new Headers({ ratelimit: `"${name}";r=${left};t=${seconds}`, 'ratelimit-policy': `"${name}";q=60;w=60` }),
  );

test.each([
  [60, 60, 1],
  [31, 60, 1],
  [30, 50, 10],
  [24, 30, 10],
  [16, 20, 20],
  [30, 4, 1],
  [15, 20, 20],
  [0, 20, 20],
])('with %d of 60 calls left for %d s the page reads every %d s', (left, seconds, gap) => {
  note('pages', left, seconds);
  expect(gapMs()).toBe(gap * 1_000);
  note('poll', 60 - left, 1);
  noteRateLimit(new Headers());
  expect(gapMs()).toBe(gap * 1_000);
  jest.advanceTimersByTime(seconds * 1_000);
  expect(gapMs()).toBe(1_000);
});

test('while the relay is away it tries rarely', () => {
  note('pages', 60, 60);
  connection.set({ kind: 'unreachable' });
  expect(gapMs()).toBe(10_000);
});
