import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connectOnce } from '../postgres/connect.ts';
import { createEmptyDatabase, type TestDatabase } from '../testing/create-test-database.ts';
import { type MigrateOptions, migrate, repair } from './migrate.ts';
import { knownMigrations, migrationsFolder } from './migration-files.ts';

describe('migrate', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let folder: string;
  let said: string[];

  const run = (options: Partial<MigrateOptions> = {}) =>
    migrate({
      url: database.url,
      folder,
      command: 'node migrate.js',
      report: (line) => said.push(line),
      ...options,
    });
  const record = (as: 'applied' | 'rolled-back', migration: string) =>
    repair({ url: database.url, folder, report: (line) => said.push(line) }, { as, migration });

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
    said = [];
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  test('applies what is missing, then nothing', async () => {
    expect(await run()).toEqual(await knownMigrations());
    expect(await run()).toEqual([]);
    await add(
      '20990101000000_more',
      '-- A comment; with a semicolon.\nCREATE TABLE more (id int); CREATE TABLE less (id int);',
    );
    expect(await run()).toEqual(['20990101000000_more']);
    expect(await hasTable('less')).toBe(true);
    expect(said).toEqual([]);
  });

  test('of five at once, one applies and the others wait for it', async () => {
    const results = await Promise.all([run(), run(), run(), run(), run()]);
    expect(results.filter((applied) => applied.length > 0)).toEqual([await knownMigrations()]);
    expect(said).toEqual(Array(4).fill('Another process migrates this database: waiting for it.'));
  });

  test('a migration that fails leaves nothing, and says how to repair it, each time', async () => {
    await add('20990101000000_bad', 'CREATE TABLE half (id int); SELECT 1/0;');
    const sentence =
      /^The migration 20990101000000_bad failed at \S+ \(ERROR: division by zero\)\. .*run "node migrate\.js --rolled-back 20990101000000_bad", then "node migrate\.js" again\.$/;
    await expect(run()).rejects.toThrow(sentence);
    await expect(run()).rejects.toThrow(sentence);
    expect(await hasTable('half')).toBe(false);
    expect(await hasTable('help_requests')).toBe(true);

    await add('20990101000000_bad', 'CREATE TABLE half (id int);');
    await record('rolled-back', '20990101000000_bad');
    expect(await run()).toEqual(['20990101000000_bad']);
  });

  test('a migration that waits for a lock lets others pass, and is tried again', async () => {
    await run();
    await add('20990101000000_locks', 'CREATE TABLE half (id int); ALTER TABLE users ADD COLUMN age int;');
    await client.query('BEGIN; SELECT FROM users');
    await expect(run({ lockPatience: 0 })).rejects.toThrow(
      /^The migration 20990101000000_locks needs a lock .*, so nothing of it is in the database\. .* then run "node migrate\.js" again\./,
    );
    expect(await hasTable('half')).toBe(false);
    expect(said).toEqual([]);

    const applied = await run({
      report(line) {
        said.push(line);
        void client.query('ROLLBACK');
      },
    });
    expect(applied).toEqual(['20990101000000_locks']);
    expect(said).toEqual([
      'The migration 20990101000000_locks needs a lock that another transaction holds. Trying again in 3000 ms.',
    ]);
  });

  test('a migration that took long leaves the next one its time to wait for a lock', async () => {
    await run();
    await add('20990101000000_walks', 'SELECT pg_sleep(1.5);');
    await add('20990101000001_locks', 'ALTER TABLE users ADD COLUMN age int;');
    await client.query('BEGIN; SELECT FROM users');
    const applied = await run({
      lockPatience: 1_000,
      report(line) {
        said.push(line);
        void client.query('ROLLBACK');
      },
    });
    expect(applied).toEqual(['20990101000000_walks', '20990101000001_locks']);
    expect(said).toEqual([expect.stringContaining('20990101000001_locks needs a lock')]);
  });

  test('an index that is made beside its writers waits for them as long as they take', async () => {
    await run();
    await add('20990101000000_aside', 'CREATE INDEX CONCURRENTLY aside ON users (name);');
    await client.query(`BEGIN; INSERT INTO users (name) VALUES ('ada')`);
    const applied = run();
    await pause(3_000);
    await client.query('COMMIT');
    expect(await applied).toEqual(['20990101000000_aside']);
    expect(said).toEqual([]);
  });

  test('a migration that was interrupted is for the operator to look at', async () => {
    await run();
    await add('20990101000000_half', 'CREATE TABLE half (id int);');
    await client.query(`
      INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('half', '', '20990101000000_half');
      CREATE TABLE half (id int)`);
    await expect(run()).rejects.toThrow(
      'if they are, run "node migrate.js --applied 20990101000000_half", if not, "node migrate.js --rolled-back 20990101000000_half"',
    );
    await record('applied', '20990101000000_half');
    expect(await run()).toEqual([]);
    await expect(record('applied', '20990101000000_half')).rejects.toThrow('nothing to repair');
  });

  test('leaves a database alone that is somebody else’s', async () => {
    await client.query('CREATE TABLE accounts (id int)');
    await expect(run()).rejects.toThrow('The database schema is not empty');
    expect(await hasTable('help_requests')).toBe(false);
  });

  test('knows nothing against migrations of a newer release', async () => {
    await add('20990101000000_newer', 'CREATE TABLE newer (id int);');
    await run();
    await rm(join(folder, '20990101000000_newer'), { recursive: true });
    expect(await run()).toEqual([]);
  });
});
