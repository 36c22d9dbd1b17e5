import { empty, type Sql, sql } from '@expert-relay/db';
import { type OpenDatabase, openTestDatabase } from '@expert-relay/db/testing';
import { eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { countRequests } from '../testing/count-requests.ts';
import { seedRequests } from '../testing/seed-requests.ts';
import { endInBatches, endRequests } from './end-requests.ts';

let database: OpenDatabase;
let other: pg.Client;

beforeEach(async () => {
  database = await openTestDatabase();
  other = new pg.Client({ connectionString: database.url });
  await other.connect();
});
afterEach(async () => {
  await other.end();
  await database.stop();
});

test('a request that changes before its row is locked stays unchanged, and ends the next time', async () => {
  const { prisma, query } = database;
  const ids = await seedRequests(prisma, { count: 2, dueIn: -1_000 });
  const [changed = '', unchanged = ''] = ids;
  const end = (waitFor: Sql) =>
    endRequests(query, sql`SELECT unnest(${ids}::text[]) AS request_id ${waitFor}`);

  // The statement was started, so it sees the rows as they are now, but it locks them only later.
  await other.query('SELECT pg_advisory_lock(1)');
  const first = end(sql`FROM pg_advisory_xact_lock(1)`);
  await eventually('it waits', async () => {
    const { rowCount } = await other.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rowCount === 1;
  });
  await prisma.helpRequest.update({ where: { id: changed }, data: { seq: 5 } });
  await other.query('SELECT pg_advisory_unlock(1)');

  expect(Object.keys((await first).ended)).toEqual([unchanged]);
  const request = { where: { id: changed } };
  expect(await prisma.helpRequest.findUnique(request)).toMatchObject({ status: 'pending', seq: 5 });
  expect(Object.keys((await end(empty)).ended)).toEqual([changed]);
  expect(await prisma.helpRequest.findUnique(request)).toMatchObject({ status: 'expired', seq: 6 });
  expect(await countRequests(prisma)).toMatchObject({
    expired: 2,
    events: 2,
    repeated: 0,
    missing: 0,
    wrongStages: 0,
  });
});

test.each([1, 2, 3, 5, 6])('pages of %i: every request that is not locked ends once', async (size) => {
  const { prisma, query } = database;
  // Due at the same time, so that only their ids decide where a page ends.
  const ids = (await seedRequests(prisma, { count: 5, dueIn: -1_000 })).sort();
  await other.query('BEGIN');
  const { rows } = await other.query<{ id: string }>(
    'SELECT id FROM help_requests ORDER BY expires_at, id LIMIT 2 FOR UPDATE',
  );
  const locked = rows.map(({ id }) => id);
  let pages = 0;
  const ended = async () => {
    const all: string[] = [];
    for await (const page of endInBatches(query, size)) {
      all.push(...Object.keys(page));
      pages++;
    }
    return all.sort();
  };
  expect(await ended()).toEqual(ids.filter((id) => !locked.includes(id)));
  // None was read twice.
  expect(pages).toBe(Math.floor(5 / size) + 1);
  await other.query('ROLLBACK');
  expect(await ended()).toEqual(locked.sort());
  expect(await ended()).toEqual([]);
  expect(await countRequests(prisma)).toMatchObject({ events: 5, repeated: 0, missing: 0, wrongStages: 0 });
});
