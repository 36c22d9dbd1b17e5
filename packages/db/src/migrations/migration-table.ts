import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Migration } from './migration-files.ts';

/*
 * The table in which Prisma records migrations, with Prisma's own columns and meanings, so that `prisma migrate`
 * works on the same database.
 */

interface Recorded {
  readonly applied: ReadonlySet<string>;
  /** Started by `prisma migrate`, and neither finished nor marked as rolled back. */
  readonly unfinished: readonly string[];
}

/** `undefined` when there is no such table. */
export async function readRecorded(client: pg.ClientBase): Promise<Recorded | undefined> {
  const { rows: tables } = await client.query(`SELECT to_regclass('_prisma_migrations') AS name`);
  if (tables[0].name === null) return undefined;
  const { rows } = await client.query<{ name: string; isFinished: boolean }>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS "isFinished" FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  const applied = new Set(rows.filter(({ isFinished }) => isFinished).map(({ name }) => name));
  return { applied, unfinished: rows.map(({ name }) => name).filter((name) => !applied.has(name)) };
}

/** A service cannot know whether a migration runs beside it. */
const waiting = 'waiting until it is applied (if no migration is running, run migrate)';

/**
 * Why this code cannot work with this database; `undefined` when the schema fits. Unknown migrations are fine: they
 * belong to a newer release that is being rolled out.
 */
export async function findSchemaProblem(
  client: pg.ClientBase,
  known: readonly string[],
): Promise<string | undefined> {
  const { applied = new Set(), unfinished = [] } = (await readRecorded(client)) ?? {};
  if (unfinished[0]) return `the migration ${unfinished[0]} is not finished: ${waiting}`;
  const missing = known.filter((name) => !applied.has(name));
  if (missing.length === 0) return undefined;
  return `the database lacks ${missing.length === 1 ? 'the migration' : 'the migrations'} ${missing.join(', ')}: ${waiting}`;
}

/** Creates the table in an empty schema; false when the schema holds other tables. */
export async function createTable(client: pg.ClientBase): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT FROM pg_tables WHERE schemaname = current_schema() LIMIT 1',
  );
  if (rowCount) return false;
  await client.query(`
    CREATE TABLE _prisma_migrations (
      id VARCHAR(36) PRIMARY KEY NOT NULL,
      checksum VARCHAR(64) NOT NULL,
      finished_at TIMESTAMPTZ,
      migration_name VARCHAR(255) NOT NULL,
      logs TEXT,
      rolled_back_at TIMESTAMPTZ,
      started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
      applied_steps_count INTEGER NOT NULL DEFAULT 0
    )`);
  return true;
}

export async function recordApplied(client: pg.ClientBase, { name, checksum }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}
