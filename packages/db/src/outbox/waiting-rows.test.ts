import { expect, test } from '@jest/globals';
import { connectOnce } from '../postgres/connect.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { selectWaiting } from './waiting-rows.ts';

test.each([
  ['many rows', 250, [100, 100, 50]],
  ['exactly a batch', 100, [100, 0]],
])('%s are selected in batches', async (_, count, batches) => {
  const database = await createTestDatabase(process.env.DATABASE_URL ?? '');
  const client = await connectOnce(database.url);
  await client.query(
    `INSERT INTO outbox_events (type, payload, user_id)
     SELECT 'request_closed', '', gen_random_uuid() FROM generate_series(1, $1)`,
    [count],
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
