import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { connectOnce } from '../postgres/connect.ts';
import { createEmptyDatabase } from '../testing/create-test-database.ts';
import { migrationsFolder } from './known-migrations.ts';
import { migrate } from './migrate.ts';

test('requests that were there before `request_stages` have their rows in it', async () => {
  await using database = await createEmptyDatabase(process.env.DATABASE_URL ?? '');
  const folder = await mkdtemp(join(tmpdir(), 'relay-migrations-'));
  const run = () => migrate({ url: database.url, folder, report: () => {} });
  for (const name of await readdir(migrationsFolder)) {
    if (!name.endsWith('_request_stages'))
      await cp(join(migrationsFolder, name), join(folder, name), { recursive: true });
  }
  await run();

  const client = await connectOnce(database.url);
  await client.query(`
    WITH ada AS (INSERT INTO users (name) VALUES ('ada') RETURNING id),
    key AS (
      INSERT INTO api_keys (user_id, kind, name, last_four, call_id)
      SELECT id, 'consumer', 'agent', 'abcd', gen_random_uuid() FROM ada RETURNING id, user_id)
    INSERT INTO help_requests (
      id, ref_code, user_id, consumer_key_id, context, call_id, status, expires_at, ended_at)
    SELECT request.id, request.id, user_id, key.id, '[]', gen_random_uuid(), status, expires_at, ended_at
    FROM key, (VALUES
      ('open', 'responded'::request_status, '2030-01-04'::timestamptz, NULL::timestamptz),
      ('closed', 'closed', '2030-01-05', '2030-01-02'),
      ('expired', 'expired', '2030-01-03', '2030-01-03')) AS request (id, status, expires_at, ended_at)`);
  await cp(migrationsFolder, folder, { recursive: true });
  await run();

  const { rows } = await client.query<{ row: string }>(`
    SELECT concat_ws(' ', request_id, stage, (at AT TIME ZONE 'UTC')::date) AS row
    FROM request_stages ORDER BY at`);
  expect(rows.map(({ row }) => row)).toEqual([
    'closed ended 2030-01-02',
    'expired ended 2030-01-03',
    'open open 2030-01-04',
  ]);
  await client.end();
  await rm(folder, { recursive: true });
});
