import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connectOnce } from '../postgres/connect.ts';
import { createTestDatabase, type TestDatabase } from '../testing/create-test-database.ts';
import { purgeKept, takeBackLost } from './kept-rows.ts';

describe('published rows', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase(process.env.DATABASE_URL ?? '');
    client = await connectOnce(database.url);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });
  beforeEach(async () => {
    await client.query(`
      TRUNCATE outbox_events;
      INSERT INTO outbox_events (type, payload, user_id, seq, published_at, stream_seq, stream_epoch)
      SELECT 'new_message', '', gen_random_uuid(), seq, now() - interval '11 minutes' + seq * interval '1 second', seq, 'then'
      FROM generate_series(1, 100) AS seq`);
  });

  const count = async (condition: string) => {
    const { rowCount } = await client.query(`SELECT FROM outbox_events WHERE ${condition}`);
    return rowCount;
  };

  test('go only when they are old and within what the stream holds', async () => {
    expect(await purgeKept(client, { epoch: 'then', lastSeq: 40 }, 600_000)).toBe(false);
    expect(await count('TRUE')).toBe(60);
    await purgeKept(client, { epoch: 'then', lastSeq: 100 }, 600_000);
    expect(await count('TRUE')).toBe(40);
    await purgeKept(client, { epoch: 'now', lastSeq: 100 }, 0);
    expect(await count('TRUE')).toBe(40);
  });

  test('go in portions, and it is told that more are to go', async () => {
    await client.query(`
      INSERT INTO outbox_events (type, payload, user_id, published_at, stream_seq, stream_epoch)
      SELECT 'new_message', '', gen_random_uuid(), now() - interval '1 hour', seq, 'then' FROM generate_series(101, 2100) AS seq`);
    expect(await purgeKept(client, { epoch: 'then', lastSeq: 5_000 }, 600_000)).toBe(true);
    expect(await purgeKept(client, { epoch: 'then', lastSeq: 5_000 }, 600_000)).toBe(false);
    expect(await count('TRUE')).toBe(40);
  });

  test('wait again when they lie beyond the end of the stream', async () => {
    expect(await takeBackLost(client, { epoch: 'then', lastSeq: 90 })).toBe(10);
    expect(await count('published_at IS NULL AND seq > 90')).toBe(10);
    expect(await takeBackLost(client, { epoch: 'then', lastSeq: 90 })).toBe(0);
  });

  test('wait again, all of them, when the stream was made anew', async () => {
    await client.query(`
      INSERT INTO outbox_events (type, payload, user_id, published_at, stream_seq, stream_epoch)
      SELECT 'new_message', '', gen_random_uuid(), now(), seq, 'then' FROM generate_series(101, 5000) AS seq`);
    expect(await takeBackLost(client, { epoch: 'now', lastSeq: 10_000 })).toBe(5_000);
    expect(await count('published_at IS NULL AND stream_seq IS NULL AND stream_epoch IS NULL')).toBe(5_000);
  });
});
