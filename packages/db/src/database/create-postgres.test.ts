import { createLog } from '@expert-relay/kit/log';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Query } from '../postgres/query.ts';
import { createTestDatabase, patient, type TestDatabase } from '../testing/index.ts';
import { createPostgres, type Postgres } from './create-postgres.ts';

let target: TestDatabase;
let postgres: Postgres;

beforeAll(async () => {
  target = await createTestDatabase(process.env.DATABASE_URL ?? '');
});
afterAll(() => target.drop());
beforeEach(() => {
  const log = createLog('test', { level: 'silent' });
  postgres = createPostgres({ url: target.url, poolSize: 1, log, ...patient, statementTimeoutMs: 500 });
});
afterEach(() => postgres.stop());

const connection = async () =>
  (await postgres.query<{ pid: number }>`SELECT pg_backend_pid() AS pid`)[0]?.pid;
const users = async () => (await postgres.query`SELECT 1 FROM users`).length;

test.each<[string, (query: Query) => Promise<unknown>, RegExp]>([
  ['by its caller', async () => Promise.reject(new Error('refused')), /refused/],
  ['by Postgres', (query) => query`SELECT 1 / 0`, /division by zero/],
])('a transaction that is refused %s is rolled back, and keeps its connection', async (_, refuse, reason) => {
  const before = await connection();
  const refused = postgres.transact(async (query) => {
    await query`INSERT INTO users (name) VALUES ('ada')`;
    await refuse(query);
  });
  await expect(refused).rejects.toThrow(reason);
  expect(await connection()).toBe(before);
  expect(await users()).toBe(0);
});

test('a transaction whose statement is not answered closes its connection at once', async () => {
  const before = await connection();
  const hanging = postgres.transact((query) => query`SELECT pg_sleep(60)`);
  await expect(hanging).rejects.toThrow('Query read timeout');
  expect(await connection()).not.toBe(before);
  // A rollback would have waited for the end of the statement.
  expect(await postgres.query`SELECT state FROM pg_stat_activity WHERE pid = ${before}`).toEqual([
    { state: 'active' },
  ]);
});
