import { expect, jest, test } from '@jest/globals';
import { runSeed } from './run-seed.ts';

// It starts a whole product, on a machine that may run other tests at the same time.
jest.setTimeout(240_000);

test('when Postgres and a hub with readers are killed, nothing that was acknowledged is lost', async () => {
  const result = await runSeed(7);
  expect(result?.faults).toEqual(['Postgres killed', 'hub-1 killed under 200 resuming readers']);
  expect(result?.failures).toEqual([]);
  expect(result?.delivered).toBe(result?.expected);
  expect(result?.ends.expired).toBeGreaterThan(0);
});
