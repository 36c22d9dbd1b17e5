import { afterEach, expect, test } from '@jest/globals';
import { connection } from './connection.ts';
import { gapMs, noteRateLimit } from './rate-limit.ts';

afterEach(() => connection.set({ kind: 'online' }));

const note = (name: string, left: number) =>
  noteRateLimit(
    new Headers({ ratelimit: `"${name}";r=${left};t=30`, 'ratelimit-policy': `"${name}";q=60;w=60` }),
  );

test.each([
  [60, 1_000],
  [31, 1_000],
  [30, 4_000],
  [16, 4_000],
  [15, 10_000],
  [0, 10_000],
])('with %d of 60 calls left the page reads every %d ms', (left, gap) => {
  note('api', left);
  expect(gapMs()).toBe(gap);
  note('poll', 60 - left);
  noteRateLimit(new Headers());
  expect(gapMs()).toBe(gap);
});

test('without the relay it tries rarely', () => {
  note('api', 60);
  connection.set({ kind: 'unreachable' });
  expect(gapMs()).toBe(10_000);
});
