import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Query } from '../postgres/query.ts';
import { type OpenDatabase, openTestDatabase } from '../testing/open-test-database.ts';
import { waitForOutbox } from './wait-for-outbox.ts';

let database: OpenDatabase;
let looks: number;
const counted: Query = (text, ...values) => {
  looks++;
  return database.query(text, ...values);
};

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());

const insert = (count: number) => database.query`
  INSERT INTO outbox_events (type, payload, user_id)
  SELECT 'key_exchange', '', gen_random_uuid() FROM generate_series(1, ${count}::int)`;
const publish = (count: number) => database.query`
  UPDATE outbox_events SET published_at = now(), stream_seq = position, stream_created_at = ''
  WHERE id IN (SELECT id FROM outbox_events WHERE published_at IS NULL ORDER BY position LIMIT ${count}::int)`;

test('a caller waits while more than 1,000 events are not published, whatever was published before', async () => {
  await insert(5_000);
  await publish(4_000);
  expect(await waitForOutbox(database.query)).toBe(true);

  await insert(1);
  looks = 0;
  let result: boolean | undefined;
  const waited = waitForOutbox(counted).then((isFree) => {
    result = isFree;
  });
  await eventually('three looks at the outbox', () => looks >= 3);
  expect(result).toBeUndefined();
  await publish(1);
  await waited;
  expect(result).toBe(true);
});

test('a caller that is cancelled waits no longer', async () => {
  await insert(2_000);
  looks = 0;
  expect(await waitForOutbox(counted, () => looks >= 2)).toBe(false);
});
