import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { within } from './within.ts';

test('tells whether a promise settled in time', async () => {
  expect(await within(1_000, pause(1))).toBe(true);
  expect(await within(1, pause(50))).toBe(false);
});

test('passes on a failure in time, and lets a late one go', async () => {
  const failing = async (after: number) => {
    await pause(after);
    throw new Error('failed');
  };
  await expect(within(1_000, failing(1))).rejects.toThrow('failed');
  expect(await within(1, failing(20))).toBe(false);
  // Long enough for a rejection that nobody handles to end the test run.
  await pause(40);
});
