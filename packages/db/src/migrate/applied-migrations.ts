import pg from 'pg';

export interface FailedMigration {
  readonly name: string;
  readonly startedAt: Date;
  /** What Postgres said; absent when the process that ran it was ended. */
  readonly reason?: string | undefined;
  /** It gave up waiting for a lock. */
  readonly lockedOut: boolean;
}

export interface AppliedMigrations {
  readonly applied: ReadonlySet<string>;
  /** Begun, and neither finished nor declared rolled back. */
  readonly failed: readonly FailedMigration[];
}

const undefinedTable = '42P01';

/** Put in place of Postgres' own words, which are in whatever language the server speaks: no code is kept beside them. */
export const lockedOutReason = 'it waited too long for a lock';

/** What Prisma's own table says about this database. */
export async function appliedMigrations(client: pg.ClientBase): Promise<AppliedMigrations> {
  const rows = await readRows(client);
  const applied = new Set(rows.filter((row) => row.finished_at !== null).map((row) => row.migration_name));
  const failed = rows
    .filter((row) => row.finished_at === null && !applied.has(row.migration_name))
    .map((row) => ({
      name: row.migration_name,
      startedAt: row.started_at,
      reason: /ERROR: .+/.exec(row.logs ?? '')?.[0],
      lockedOut: row.logs?.includes(lockedOutReason) ?? false,
    }));
  return { applied, failed };
}

interface Row {
  migration_name: string;
  started_at: Date;
  finished_at: Date | null;
  logs: string | null;
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
