import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connectOnce } from '../postgres/connect.ts';
import { createEmptyDatabase, type TestDatabase } from '../testing/create-test-database.ts';
import { migrate } from './migrate.ts';
import { migrationsFolder } from './migration-files.ts';

let database: TestDatabase;
let folder: string;
let clients: pg.Client[];

beforeEach(async () => {
  database = await createEmptyDatabase(process.env.DATABASE_URL ?? '');
  folder = await mkdtemp(join(tmpdir(), 'relay-migrations-'));
  clients = [];
  await migrateTo('_init');
});
afterEach(async () => {
  for (const client of clients) await client.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Applies the migrations up to the one whose name ends with `last`. */
async function migrateTo(last: string): Promise<void> {
  const names = (await readdir(migrationsFolder)).sort();
  const upTo = names.findIndex((name) => name.endsWith(last));
  for (const name of [...names.slice(0, upTo + 1), 'migration_lock.toml'])
    await cp(join(migrationsFolder, name), join(folder, name), { recursive: true });
  await migrate({ url: database.url, folder, report: () => {} });
}

async function connect(): Promise<pg.Client> {
  const client = await connectOnce(database.url);
  clients.push(client);
  return client;
}

async function seed(client: pg.Client): Promise<void> {
  await client.query(`
    WITH ada AS (INSERT INTO users (name) VALUES ('ada') RETURNING id)
    INSERT INTO api_keys (user_id, kind, name, last_four, call_id)
    SELECT id, 'consumer', 'agent', 'abcd', gen_random_uuid() FROM ada`);
  await add(
    client,
    `('closed', 'closed', '2030-01-05', '2030-01-02'),
     ('expired', 'expired', '2030-01-03', '2030-01-03'),
     ('open', 'responded', '2030-01-04', NULL)`,
  );
}

const add = (client: pg.Client, requests: string) =>
  client.query(`
    INSERT INTO help_requests (id, ref_code, user_id, consumer_key_id, context, call_id, status, expires_at, ended_at)
    SELECT request.id, request.id, user_id, api_keys.id, '[]', gen_random_uuid(),
      status::request_status, expires_at::timestamptz, ended_at::timestamptz
    FROM api_keys, (VALUES ${requests}) AS request (id, status, expires_at, ended_at)`);

async function stages(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ row: string }>(`
    SELECT concat_ws(' ', request_id, stage, (at AT TIME ZONE 'UTC')::date) AS row
    FROM request_stages ORDER BY request_id, stage`);
  return rows.map(({ row }) => row);
}

/** Waits until a script whose first statement begins with `statement` waits for a lock. */
async function untilWaiting(client: pg.Client, statement: string): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND query ~ ('^(--[^\n]*\n)*' || $1)`,
    [statement],
  );
  if (rowCount) return;
  await pause(5);
  await untilWaiting(client, statement);
}

test('requests that are older than `request_stages` get their rows in it', async () => {
  const client = await connect();
  await seed(client);
  await migrateTo('_forget_gone_requests');
  expect(await stages(client)).toEqual([
    'closed ended 2030-01-02',
    'expired ended 2030-01-03',
    'open open 2030-01-04',
  ]);
});

test('requests that change while they are carried over get their rows', async () => {
  const [client, obstacle, remover] = [await connect(), await connect(), await connect()];
  await seed(client);
  await add(
    client,
    `('closes', 'pending', '2030-01-08', NULL), ('leaves', 'closed', '2030-01-09', '2030-01-06')`,
  );
  await migrateTo('_request_stages');
  // The migration, which inserts the same row, waits for this transaction.
  await obstacle.query('BEGIN');
  await obstacle.query(`INSERT INTO request_stages VALUES ('open', '2030-01-04', 'open')`);
  const migrated = migrateTo('_forget_gone_requests');
  await untilWaiting(client, 'INSERT');

  await client.query(`SET lock_timeout = '1s'`);
  await add(client, `('comes', 'pending', '2030-01-07', NULL)`);
  await client.query(`UPDATE help_requests SET seq = 2 WHERE id = 'open'`);
  await client.query(
    `UPDATE help_requests SET status = 'closed', ended_at = '2030-01-01' WHERE id = 'closes'`,
  );
  await remover.query('BEGIN');
  await remover.query(`DELETE FROM help_requests WHERE id = 'leaves'`);
  await obstacle.query('ROLLBACK');
  await untilWaiting(client, 'DROP');
  await remover.query('COMMIT');
  await migrated;

  // A sweep repairs this row later.
  const others = (await stages(client)).filter((row) => row !== 'closes open 2030-01-08');
  expect(others).toEqual([
    'closed ended 2030-01-02',
    'closes ended 2030-01-01',
    'comes open 2030-01-07',
    'expired ended 2030-01-03',
    'open open 2030-01-04',
  ]);
});

/** Inserts messages of a request as the release before the inbox does. */
async function addMessages(client: pg.Client, requestId: string, roles: readonly string[]): Promise<void> {
  for (const role of roles) {
    const responses = role === 'provider' ? 1 : 0;
    await client.query(
      `WITH counted AS (
         UPDATE help_requests SET
           seq = seq + 1, message_count = message_count + 1, response_count = response_count + $2
         WHERE id = $1 RETURNING id, seq)
       INSERT INTO messages (request_id, seq, role, message_id, message_key, plaintext, created_at)
       SELECT counted.id, seq, $3, key, key, 'x', '2029-01-01'::timestamptz + seq * interval '1 day'
       FROM counted, gen_random_uuid() AS key`,
      [requestId, responses, role],
    );
  }
}

async function inbox(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ row: string }>(`
    SELECT concat_ws(' ', request_id, stage, progress, last_message_role, (last_message_at AT TIME ZONE 'UTC')::date,
      CASE WHEN (request_stages.user_id, request_stages.created_at)
        IS DISTINCT FROM (help_requests.user_id, help_requests.created_at) THEN 'wrong' END) AS row
    FROM request_stages JOIN help_requests ON id = request_id ORDER BY request_id`);
  return rows.map(({ row }) => row);
}

test('requests that are older than the inbox are in it', async () => {
  const client = await connect();
  await seed(client);
  await add(client, `('asks', 'pending', '2030-01-04', NULL), ('quiet', 'pending', '2030-01-04', NULL)`);
  await addMessages(client, 'asks', ['consumer']);
  await addMessages(client, 'open', ['consumer', 'provider']);
  await addMessages(client, 'expired', ['provider', 'consumer']);
  await migrateTo('_fill_ended_requests');
  expect(await inbox(client)).toEqual([
    'asks open unanswered consumer 2029-01-03',
    'closed ended closed',
    'expired ended follow_up consumer 2029-01-04',
    'open open answered provider 2029-01-04',
    'quiet open unanswered',
  ]);
});

test('a message that is sent while the inbox is filled counts', async () => {
  const [client, sender] = [await connect(), await connect()];
  await seed(client);
  await addMessages(client, 'open', ['provider', 'provider']);
  await migrateTo('_inbox_index');
  await sender.query('BEGIN');
  await addMessages(sender, 'open', ['consumer']);
  const migrated = migrateTo('_fill_ended_requests');
  await untilWaiting(client, 'UPDATE');
  await sender.query('COMMIT');
  await migrated;
  const [, , open] = await inbox(client);
  expect(open).toMatch(/^open open follow_up consumer \d{4}-\d\d-\d\d$/);
});
