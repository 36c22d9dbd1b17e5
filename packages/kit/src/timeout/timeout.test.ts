import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { withTimeout } from './index.ts';

test('has the result of work that is done in time, and rejects otherwise', async () => {
  expect(await withTimeout(pause(1, 'done'), 1_000)).toBe('done');
  await expect(withTimeout(pause(50), 1)).rejects.toThrow('no response within 1 ms');
});

test('rejects as the work does, and ignores a late failure', async () => {
  const failing = async (after: number) => {
    await pause(after);
    throw new Error('failed');
  };
  await expect(withTimeout(failing(1), 1_000)).rejects.toThrow('failed');
  await expect(withTimeout(failing(20), 1)).rejects.toThrow('no response within 1 ms');
  // Long enough for an unhandled rejection to end the test run.
  await pause(40);
});
