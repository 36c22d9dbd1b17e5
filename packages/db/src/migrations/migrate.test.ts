import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connectOnce } from '../postgres/connect.ts';
import { createEmptyDatabase, type TestDatabase } from '../testing/create-test-database.ts';
import { MigrateError, type MigrateOptions, migrate } from './migrate.ts';
import { knownMigrations, migrationsFolder } from './migration-files.ts';

describe('migrate', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let folder: string;
  let reported: string[];

  /** Reports about a Postgres that is only slow are not kept. */
  const keep = (line: string) => void (/^Postgres at .* Trying again/.test(line) || reported.push(line));
  const run = (options: Partial<MigrateOptions> = {}) =>
    migrate({ url: database.url, folder, report: keep, patience: 60_000, ...options });

  /** Ends the transaction that holds the lock, once a migration has reported that it waits for it. */
  function keepAndRollBack(line: string): void {
    keep(line);
    if (reported.length > 0) void client.query('ROLLBACK');
  }

  async function add(name: string, sql: string): Promise<void> {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'migration.sql'), sql);
  }

  async function hasTable(name: string): Promise<boolean> {
    const { rowCount } = await client.query('SELECT FROM pg_tables WHERE tablename = $1', [name]);
    return rowCount === 1;
  }

  beforeEach(async () => {
    database = await createEmptyDatabase(process.env.DATABASE_URL ?? '');
    client = await connectOnce(database.url);
    folder = await mkdtemp(join(tmpdir(), 'relay-migrations-'));
    await cp(migrationsFolder, folder, { recursive: true });
    reported = [];
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  test('applies the missing migrations, then nothing', async () => {
    expect(await run()).toEqual(await knownMigrations());
    expect(await run()).toEqual([]);
    await add(
      '20990101000000_more',
      '-- A comment; with a semicolon.\nCREATE TABLE more (id int); CREATE TABLE less (id int);',
    );
    expect(await run()).toEqual(['20990101000000_more']);
    expect(await hasTable('less')).toBe(true);
    expect(reported).toEqual([]);
  });

  test('a database that was made before the first release is refused, with what to delete', async () => {
    await run();
    await client.query(`UPDATE _prisma_migrations SET migration_name = '20261121033000_init'`);
    await expect(run()).rejects.toThrow(
      /before the first release.* Delete its data .*RELAY_HOME.* create an empty one\.$/,
    );
    await expect(run()).rejects.toThrow(MigrateError);
  });

  test('five wait for another process that migrates, then one of them applies', async () => {
    // The lock of `prisma migrate`.
    await client.query('SELECT pg_advisory_lock(72707369)');
    const running = Promise.all([run(), run(), run(), run(), run()]);
    await eventually('all of them wait', () => reported.length === 5);
    await client.query('SELECT pg_advisory_unlock(72707369)');
    const results = await running;
    expect(results.filter((applied) => applied.length > 0)).toEqual([await knownMigrations()]);
    expect(reported).toEqual(Array(5).fill('Another process migrates this database: waiting for it.'));
  });

  test('a migration that fails leaves nothing, says what to do each time, and can be applied once it is right', async () => {
    await add('20990101000000_bad', 'CREATE TABLE half (id int); SELECT 1/0;');
    const sentence =
      'The migration 20990101000000_bad failed: division by zero. It is one transaction, so nothing of it is in the ' +
      'database: remove the cause, then migrate again.';
    await expect(run()).rejects.toThrow(sentence);
    await expect(run()).rejects.toThrow(sentence);
    expect(await hasTable('half')).toBe(false);
    expect(await hasTable('help_requests')).toBe(true);

    await add('20990101000000_bad', 'CREATE TABLE half (id int);');
    expect(await run()).toEqual(['20990101000000_bad']);
    expect(await hasTable('half')).toBe(true);
  });

  test('a migration that is interrupted leaves nothing, and is applied by the next run', async () => {
    await run();
    await add('20990101000000_half', 'CREATE TABLE half (id int); SELECT pg_sleep(60);');
    const interrupted = expect(run()).rejects.toThrow('The migration 20990101000000_half failed');
    await eventually('it runs', async () => {
      const { rowCount } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE 'CREATE TABLE half%' AND state = 'active'`,
      );
      return rowCount === 1;
    });
    await interrupted;
    expect(await hasTable('half')).toBe(false);

    await add('20990101000000_half', 'CREATE TABLE half (id int);');
    expect(await run()).toEqual(['20990101000000_half']);
  });

  test('a migration that waits for a lock blocks other statements only briefly, and is tried again', async () => {
    await run();
    await add('20990101000000_locks', 'CREATE TABLE half (id int); ALTER TABLE users ADD COLUMN age int;');
    await client.query('BEGIN; SELECT FROM users');
    await expect(run({ lockPatience: 0 })).rejects.toThrow(
      /^The migration 20990101000000_locks needs a lock .*, so nothing of it is in the database\. .* then migrate again\./,
    );
    expect(await hasTable('half')).toBe(false);
    expect(reported).toEqual([]);

    const applied = await run({ report: keepAndRollBack });
    expect(applied).toEqual(['20990101000000_locks']);
    expect([...new Set(reported)]).toEqual([
      'The migration 20990101000000_locks needs a lock that another transaction holds. Trying again in 3000 ms.',
    ]);
  });

  test('a long migration does not shorten the time that the next one waits for a lock', async () => {
    await run();
    await add('20990101000000_walks', 'SELECT pg_sleep(10.5);');
    await add('20990101000001_locks', 'ALTER TABLE users ADD COLUMN age int;');
    await client.query('BEGIN; SELECT FROM users');
    const applied = await run({ lockPatience: 10_000, report: keepAndRollBack });
    expect(applied).toEqual(['20990101000000_walks', '20990101000001_locks']);
    expect([...new Set(reported)]).toEqual([expect.stringContaining('20990101000001_locks needs a lock')]);
  });

  test('CREATE INDEX CONCURRENTLY waits for open transactions as long as they take', async () => {
    await run();
    await add('20990101000000_concurrent', 'CREATE INDEX CONCURRENTLY added ON users (name);');
    await client.query(`BEGIN; INSERT INTO users (name) VALUES ('ada')`);
    const applied = run();
    await pause(3_000);
    await client.query('COMMIT');
    expect(await applied).toEqual(['20990101000000_concurrent']);
    expect(reported).toEqual([]);
  });

  test('CREATE INDEX CONCURRENTLY that fails asks the operator to drop the index, and can be applied then', async () => {
    await run();
    await client.query(`INSERT INTO users (name) VALUES ('ada'), ('ada')`);
    await add('20990101000000_concurrent', 'CREATE UNIQUE INDEX CONCURRENTLY added ON users (name);');
    await expect(run()).rejects.toThrow(
      'remove the cause, drop the index that it may have left, then migrate again.',
    );
    await client.query('DELETE FROM users; DROP INDEX added');
    expect(await run()).toEqual(['20990101000000_concurrent']);
  });

  test.each<[string, string, string[]]>([
    ['applied', 'finished_at', []],
    ['not applied', 'rolled_back_at', ['20990101000000_half']],
  ])(
    'the operator decides that a migration which another program has not finished is %s',
    async (_, column, applied) => {
      await run();
      await add('20990101000000_half', 'CREATE TABLE half (id int);');
      await client.query(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('half', '', '20990101000000_half')`,
      );
      const { message } = await run().then(
        () => new Error('it was applied'),
        (error: Error) => error,
      );
      expect(message).toMatch(/^The migration 20990101000000_half was started by another program/);
      const [statement = ''] =
        new RegExp(`UPDATE _prisma_migrations SET ${column} [^;.]+`).exec(message) ?? [];
      await client.query(statement);
      expect(await run()).toEqual(applied);
    },
  );

  test('refuses a database that another program uses', async () => {
    await client.query('CREATE TABLE accounts (id int)');
    await expect(run()).rejects.toThrow('The database schema is not empty');
    expect(await hasTable('help_requests')).toBe(false);
  });

  test('accepts migrations of a newer release', async () => {
    await add('20990101000000_newer', 'CREATE TABLE newer (id int);');
    await run();
    await rm(join(folder, '20990101000000_newer'), { recursive: true });
    expect(await run()).toEqual([]);
  });
});
