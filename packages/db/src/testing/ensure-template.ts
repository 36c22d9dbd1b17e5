import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { knownMigrations, migrationFile, migrationsFolder } from '../migrate/known-migrations.ts';
import { migrate } from '../migrate/migrate.ts';
import { databaseUrl } from './database-url.ts';

/** Any number will do, if no other program locks it on this server. */
const lockKey = 7_204_513_313n;
const askEvery = 50;

/** A migrated database to clone, made by whoever comes first; its name says which migrations it has. */
export async function ensureTemplate(admin: pg.ClientBase, server: string): Promise<string> {
  const name = `relay_template_${await hashOfMigrations()}`;
  if (await exists(admin, name)) return name;
  await lock(admin);
  try {
    if (!(await exists(admin, name))) await make(admin, server, name);
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [lockKey]);
  }
  return name;
}

async function make(admin: pg.ClientBase, server: string, name: string): Promise<void> {
  await dropForgotten(admin);
  // Renamed when it is complete: whoever finds the name finds all of it.
  const building = `${name}_building`;
  await admin.query(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${building}`);
  await migrate({ url: databaseUrl(server, building), report: () => {} });
  await admin.query(`ALTER DATABASE ${building} RENAME TO ${name}`);
}

/** Databases of test runs that were killed: an hour old, and nobody is connected. */
async function dropForgotten(admin: pg.ClientBase): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database
     WHERE datname ~ '^relay_test_[0-9]+_[0-9a-f]+$'
       AND split_part(datname, '_', 3)::bigint < extract(epoch FROM now()) - 3600
       AND NOT EXISTS (SELECT 1 FROM pg_stat_activity AS other WHERE other.datname = pg_database.datname)`,
  );
  for (const { name } of rows) await admin.query(`DROP DATABASE IF EXISTS ${name}`);
}

/** Not by waiting inside Postgres: `CREATE DATABASE` can wait for whoever waits so. */
async function lock(admin: pg.ClientBase): Promise<void> {
  for (;;) {
    const { rows } = await admin.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      lockKey,
    ]);
    if (rows[0]?.locked) return;
    await pause(askEvery);
  }
}

async function exists(admin: pg.ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  return rowCount === 1;
}

async function hashOfMigrations(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of await knownMigrations()) {
    hash.update(`${name}\n${await readFile(migrationFile(migrationsFolder, name), 'utf8')}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
