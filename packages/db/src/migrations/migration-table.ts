import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Migration } from './migration-files.ts';

/*
 * The table in which Prisma records migrations, with Prisma's own columns and meanings, so that `prisma migrate`
 * works on the same database.
 */

export interface FailedMigration {
  readonly name: string;
  readonly startedAt: Date;
  /** Postgres's error; absent when the process that applied the migration was interrupted. */
  readonly reason?: string | undefined;
}

interface Recorded {
  readonly applied: ReadonlySet<string>;
  /** Started, and neither finished nor marked as rolled back. */
  readonly failed: readonly FailedMigration[];
}

interface Row {
  migration_name: string;
  started_at: Date;
  finished_at: Date | null;
  logs: string | null;
}

const undefinedTable = '42P01';

export async function readRecorded(client: pg.ClientBase): Promise<Recorded> {
  const rows = await readRows(client);
  const applied = new Set(rows.filter((row) => row.finished_at !== null).map((row) => row.migration_name));
  const failed = rows
    .filter((row) => row.finished_at === null && !applied.has(row.migration_name))
    .map((row) => ({
      name: row.migration_name,
      startedAt: row.started_at,
      reason: /ERROR: .+/.exec(row.logs ?? '')?.[0],
    }));
  return { applied, failed };
}

async function readRows(client: pg.ClientBase): Promise<Row[]> {
  try {
    const { rows } = await client.query<Row>(
      `SELECT migration_name, started_at, finished_at, logs FROM _prisma_migrations
       WHERE rolled_back_at IS NULL ORDER BY started_at`,
    );
    return rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === undefinedTable) return [];
    throw error;
  }
}

/** A service cannot know whether a migration runs beside it. */
const waiting = 'waiting until it is applied (if no migration is running, run migrate)';

/**
 * Why this code cannot work with this database; `undefined` when the schema fits. Unknown migrations are fine: they
 * belong to a newer release that is being rolled out.
 */
export async function schemaGap(
  client: pg.ClientBase,
  known: readonly string[],
): Promise<string | undefined> {
  const { applied, failed } = await readRecorded(client);
  const [unfinished] = failed;
  if (unfinished?.reason) {
    return `the migration ${unfinished.name} has failed: run migrate, which says how to repair it`;
  }
  if (unfinished) return `the migration ${unfinished.name} is not finished: ${waiting}`;
  const missing = known.filter((name) => !applied.has(name));
  if (missing.length === 0) return undefined;
  return `the database lacks ${missing.length === 1 ? 'the migration' : 'the migrations'} ${missing.join(', ')}: ${waiting}`;
}

/** Creates the table in an empty schema; false when the schema holds other tables and not this one. */
export async function createTable(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
  );
  if (rows.some(({ name }) => name === '_prisma_migrations')) return true;
  if (rows.length > 0) return false;
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

/** Records a start; returns the id of the record. */
export async function recordStart(client: pg.ClientBase, migration: Migration): Promise<string> {
  const id = randomUUID();
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    migration.checksum,
    migration.name,
  ]);
  return id;
}

export async function recordSuccess(client: pg.ClientBase, id: string): Promise<void> {
  await client.query(
    'UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = $1',
    [id],
  );
}

export async function recordFailure(client: pg.ClientBase, id: string, logs: string): Promise<void> {
  await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, logs]);
}

/** Marks the failed record of a migration as rolled back. */
export async function recordRollback(client: pg.ClientBase, name: string): Promise<void> {
  await client.query(
    `UPDATE _prisma_migrations SET rolled_back_at = now()
     WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
    [name],
  );
}

/** Records a migration whose changes are in the database, in place of its failed record. */
export async function recordApplied(client: pg.ClientBase, { name, checksum }: Migration): Promise<void> {
  await client.query('BEGIN');
  await recordRollback(client, name);
  await client.query(
    'INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ($1, $2, $3, now())',
    [randomUUID(), checksum, name],
  );
  await client.query('COMMIT');
}
