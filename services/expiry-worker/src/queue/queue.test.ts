import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { settlesWithin } from './queue.ts';

test('reports whether a promise settled in time', async () => {
  expect(await settlesWithin(1_000, pause(1))).toBe(true);
  expect(await settlesWithin(1, pause(50))).toBe(false);
});

test('throws a failure in time, and ignores a late one', async () => {
  const failing = async (after: number) => {
    await pause(after);
    throw new Error('failed');
  };
  await expect(settlesWithin(1_000, failing(1))).rejects.toThrow('failed');
  expect(await settlesWithin(1, failing(20))).toBe(false);
  // Long enough for an unhandled rejection to end the test run.
  await pause(40);
});
