import { expect, test } from '@jest/globals';
import { connectOnce } from '../postgres/connect.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { selectWaiting } from './waiting-rows.ts';

const kilobyte = 1_024;

test.each([
  ['many small rows', 250, 10, [100, 100, 50]],
  ['few large rows', 7, 100 * kilobyte, [3, 3, 1]],
  ['rows of the maximum size of a batch', 2, 256 * kilobyte, [1, 1, 0]],
  ['exactly a batch', 100, 10, [100, 0]],
])('%s are selected in batches', async (_, count, size, batches) => {
  const database = await createTestDatabase(process.env.DATABASE_URL ?? '');
  const client = await connectOnce(database.url);
  await client.query(
    `INSERT INTO outbox_events (type, payload)
     SELECT 'request_closed', decode(repeat('00', $1::int), 'hex') FROM generate_series(1, $2)`,
    [size, count],
  );
  let [after, hasMore] = [0, true];
  for (const batch of batches) {
    expect(hasMore).toBe(true);
    const waiting = await selectWaiting(client, after);
    expect(waiting.rows.map(({ position }) => position)).toEqual(
      Array.from({ length: batch }, (_, index) => after + index + 1),
    );
    after += batch;
    hasMore = waiting.hasMore;
  }
  expect(hasMore).toBe(false);
  await client.end();
  await database.drop();
});
