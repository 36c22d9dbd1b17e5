import { expect, jest, test } from '@jest/globals';
import { runSeed } from './run-seed.ts';

// A whole product is started for it, on a machine that runs other tests meanwhile.
jest.setTimeout(240_000);

test('a hub is killed under its readers, and Postgres with it: nothing that was acknowledged is lost', async () => {
  const verdict = await runSeed(7);
  expect(verdict?.faults).toEqual(['Postgres killed', 'hub-1 killed under 200 resuming readers']);
  expect(verdict?.failures).toEqual([]);
  expect(verdict?.delivered).toBe(verdict?.expected);
  expect(verdict?.ends.expired).toBeGreaterThan(0);
});
