import { expect, test } from '@jest/globals';
import { runSeed } from './run-seed.ts';

test('when Postgres and a hub with readers are killed, nothing that was acknowledged is lost', async () => {
  const result = await runSeed(16_748);
  expect(result?.faults).toEqual(['Postgres killed', 'hub-2 killed under 200 resuming readers']);
  expect(result?.failures).toEqual([]);
  expect(result?.delivered).toBe(result?.expected);
  expect(result?.ends.expired).toBeGreaterThan(0);
});
