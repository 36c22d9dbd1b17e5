import type { Query } from '@expert-relay/db';
import { expect, test } from '@jest/globals';
import { createEndBatcher } from './end-job.ts';

/** A database that ends both requests. */
const ended = (async () => [{ ended: { 'id-1': 1, 'id-2': 1 } }]) as unknown as Query;

test('a batch that fails rejects its jobs and does not block the next one', async () => {
  let failures = 1;
  const query = (async (...args: Parameters<Query>) => {
    if (failures-- > 0) throw new Error('the database is away');
    return ended(...args);
  }) as unknown as Query;
  const end = createEndBatcher(query, () => {});
  await expect(Promise.allSettled([end('id-1')])).resolves.toMatchObject([{ reason: { message: /away/ } }]);
  await expect(end('id-1')).resolves.toBeUndefined();
});

test('a report that fails rejects the jobs of its batch and does not block the next one', async () => {
  let failures = 1;
  const end = createEndBatcher(ended, () => {
    if (failures-- > 0) throw new Error('the report failed');
  });
  const waiting = end('id-1');
  // Collected while the first statement runs.
  const next = end('id-2');
  await expect(waiting).rejects.toThrow('the report failed');
  await expect(next).resolves.toBeUndefined();
  await expect(end('id-1')).resolves.toBeUndefined();
});
