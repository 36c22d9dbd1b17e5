import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connectOnce } from '../postgres/connect.ts';
import { createTestDatabase, type TestDatabase } from '../testing/create-test-database.ts';
import { moveExpired } from './conditions.ts';

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
  await client.query('TRUNCATE users CASCADE');
  const { rows } = await client.query<{ id: string }>(`INSERT INTO users (name) VALUES ('ada') RETURNING id`);
  await client.query(
    `WITH key AS (
       INSERT INTO api_keys (user_id, kind, name, last_four, call_id)
       VALUES ($1, 'consumer', 'agent', 'abcd', $2) RETURNING id, user_id)
     INSERT INTO help_requests (id, ref_code, user_id, consumer_key_id, context, call_id, created_at, expires_at)
     SELECT name, name, user_id, id, '[]', gen_random_uuid(), '2030-01-01', '2030-01-06' FROM key, (VALUES ('a'), ('b')) AS row (name)`,
    [rows[0]?.id, randomUUID()],
  );
});

async function stages(): Promise<string[]> {
  const { rows } = await client.query<{ row: string }>(`
    SELECT concat_ws(' ', request_id, stage, extract(day FROM at AT TIME ZONE 'UTC'), progress,
      'active ' || extract(day FROM active_at AT TIME ZONE 'UTC'),
      CASE WHEN EXISTS (
        SELECT FROM help_requests WHERE id = request_id AND user_id <> request_stages.user_id)
      THEN 'wrong' END) AS row
    FROM request_stages ORDER BY request_id`);
  return rows.map(({ row }) => row);
}

const change = (what: string) => client.query(`UPDATE help_requests SET ${what} WHERE id = 'a'`);

const response = `seq = 2, status = 'responded', response_count = response_count + 1, message_count = message_count + 1,
  last_message_at = '2030-01-03', turn = 'consumer'`;
const followUpOn = (day: number) =>
  `message_count = message_count + 1, last_message_at = '2030-01-0${day}', turn = 'provider'`;

const untouched = 'b open 6 unanswered active 1';

test('a request has one row from its creation to its deletion', async () => {
  expect(await stages()).toEqual(['a open 6 unanswered active 1', untouched]);
  await change(followUpOn(2));
  expect(await stages()).toEqual(['a open 6 unanswered active 2', untouched]);
  await change(response);
  expect(await stages()).toEqual(['a open 6 answered active 3', untouched]);
  await change(followUpOn(4));
  expect(await stages()).toEqual(['a open 6 follow_up active 4', untouched]);
  // There is nothing to answer.
  await change(`turn = 'consumer'`);
  expect(await stages()).toEqual(['a open 6 answered active 4', untouched]);
  await change(followUpOn(4));
  await change(`expires_at = '2030-01-07'`);
  expect(await stages()).toEqual(['a open 7 follow_up active 4', untouched]);
  await change(`status = 'closed', ended_at = '2030-01-05'`);
  expect(await stages()).toEqual(['a ended 5 closed active 5', untouched]);
  await change('erased_at = now()');
  expect(await stages()).toEqual(['a erased 5 closed active 5', untouched]);
  await client.query(`DELETE FROM help_requests WHERE id = 'a'`);
  expect(await stages()).toEqual([untouched]);
});

test('`moveExpired` moves the row of an expired request', async () => {
  await change(response);
  await client.query(`
    WITH ended AS (
      UPDATE help_requests SET status = 'expired', ended_at = expires_at WHERE id = 'a'
      RETURNING id AS request_id, expires_at)
    ${moveExpired.sql}`);
  expect(await stages()).toEqual(['a ended 6 answered active 6', untouched]);
  await change('erased_at = now()');
  expect(await stages()).toEqual(['a erased 6 answered active 6', untouched]);
});

test.each(['DELETE FROM users', 'TRUNCATE users CASCADE'])(
  'the row is deleted with its user: %s',
  async (statement) => {
    await client.query(statement);
    expect(await stages()).toEqual([]);
  },
);

test('changes of a request write no index entries', async () => {
  // The counters of this transaction.
  const updates = async () => {
    const { rows } = await client.query<{ total: number; cold: number }>(`
      SELECT total, total - hot AS cold FROM (
        SELECT pg_stat_get_xact_tuples_updated(oid)::int AS total,
          pg_stat_get_xact_tuples_hot_updated(oid)::int AS hot
        FROM pg_class WHERE relname = 'help_requests') AS counted`);
    return rows[0];
  };
  await client.query('BEGIN');
  const { total: before = 0 } = (await updates()) ?? {};
  await change(response);
  await change(followUpOn(4));
  await change(`provider_sign_pub_key = 'x', provider_encrypt_pub_key = 'y'`);
  await change(`status = 'closed', ended_at = now()`);
  await change('erased_at = now()');
  expect(await updates()).toEqual({ total: before + 5, cold: 0 });
  await client.query('ROLLBACK');
});
