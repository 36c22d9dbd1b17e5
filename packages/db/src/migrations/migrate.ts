import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { connect } from '../postgres/connect.ts';
import { acquireSessionLock, lockKeys } from '../postgres/session-lock.ts';
import { knownMigrations, type Migration, migrationsFolder, readMigration } from './migration-files.ts';
import { createTable, readRecorded, recordApplied } from './migration-table.ts';

export interface MigrateOptions {
  /** A direct connection: the lock does not survive a pooler. */
  url: string;
  /** Receives sentences about waiting and retrying. */
  report(line: string): void;
  folder?: string;
  /** How long to wait for a server that is away, in milliseconds. */
  patience?: number;
  /** How long a migration that does not get a lock is tried again, in milliseconds. */
  lockPatience?: number;
}

/** The database was not migrated; the message is whole sentences that say what to do. */
export class MigrateError extends Error {
  override readonly name = 'MigrateError';
}

/** Applies the migrations that the database lacks; returns their names. Several processes may call it at once. */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const { url, report, folder = migrationsFolder, patience = 6_000, lockPatience = 30_000 } = options;
  const client = await connect(url, {
    patience,
    onRetry: (message, wait) => report(`${message}. Trying again in ${wait} ms.`),
  });
  try {
    const onWait = () => report('Another process migrates this database: waiting for it.');
    await acquireSessionLock(client, lockKeys.migration, { retryMs: lockRetryMs, onWait });
    const missing = await findMissing(client, folder);
    for (const name of missing) {
      await applyWithRetries(client, await readMigration(folder, name), { report, lockPatience });
    }
    return missing;
  } finally {
    await client.end();
  }
}

const lockRetryMs = 100;

async function findMissing(client: pg.Client, folder: string): Promise<readonly string[]> {
  const known = await knownMigrations(folder);
  const recorded = await readRecorded(client);
  if (recorded) {
    if (recorded.unfinished[0]) throw unfinishedError(recorded.unfinished[0]);
    if (known[0] && recorded.applied.size > 0 && !recorded.applied.has(known[0])) {
      throw new MigrateError(
        'This database was made before the first release, by migrations that no longer exist. Delete its data and start again: the ' +
          'folder .relay (RELAY_HOME) of `npm start`; elsewhere, drop the database and create an empty one.',
      );
    }
    return known.filter((name) => !recorded.applied.has(name));
  }
  if (!(await createTable(client))) {
    throw new MigrateError(
      'The database schema is not empty, and its tables were not made by these migrations. Use an empty database.',
    );
  }
  return known;
}

/** During this pause Postgres executes the statements that waited behind the migration. */
const retryPauseMs = 3_000;

async function applyWithRetries(
  client: pg.Client,
  migration: Migration,
  { report, lockPatience }: Required<Pick<MigrateOptions, 'report' | 'lockPatience'>>,
): Promise<void> {
  let until: number | undefined;
  while (!(await apply(client, migration))) {
    // Counted from the first lock timeout: the statements before it may have taken long.
    until ??= performance.now() + lockPatience;
    if (performance.now() >= until) throw lockError(migration.name);
    report(
      `The migration ${migration.name} needs a lock that another transaction holds. Trying again in ${retryPauseMs} ms.`,
    );
    await pause(retryPauseMs);
  }
}

/**
 * Other statements on a table wait behind a migration that waits for its lock, so a migration must not wait long. It must
 * wait longer than a second, after which Postgres cancels an autovacuum that holds the lock.
 */
const lockTimeoutMs = 2_000;
const lockNotAvailable = '55P03';

/**
 * One attempt; false when the migration did not get a lock in time. The script and its record are one transaction, so an
 * attempt that fails or is interrupted leaves nothing. Postgres refuses `INDEX CONCURRENTLY` in a transaction; other
 * statements do not wait behind it, so it may wait for its locks.
 */
async function apply(client: pg.Client, migration: Migration): Promise<boolean> {
  const isTransaction = !/\bINDEX CONCURRENTLY\b/i.test(migration.script);
  try {
    if (isTransaction) await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    await client.query(migration.script);
    await recordApplied(client, migration);
    if (isTransaction) await client.query('COMMIT');
    return true;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    // It fails when Postgres has ended the connection, and with it the transaction.
    if (isTransaction) await client.query('ROLLBACK').catch(() => {});
    if (error.code === lockNotAvailable) return false;
    throw failedError(migration.name, error.message, isTransaction);
  }
}

function failedError(name: string, reason: string, isTransaction: boolean): MigrateError {
  const state = isTransaction
    ? 'It is one transaction, so nothing of it is in the database: remove the cause, then migrate again.'
    : 'It is not a transaction: remove the cause, drop the index that it may have left, then migrate again.';
  return new MigrateError(`The migration ${name} failed: ${reason}. ${state}`);
}

function lockError(name: string): MigrateError {
  return new MigrateError(
    `The migration ${name} needs a lock that another transaction has held all the time, so nothing of it is in the ` +
      'database. Wait for that transaction (a backup is one, too) or end it, then migrate again. The oldest ones: ' +
      'SELECT pid, xact_start, state, query FROM pg_stat_activity WHERE xact_start IS NOT NULL ORDER BY xact_start LIMIT 5.',
  );
}

function unfinishedError(name: string): MigrateError {
  const update = (column: string) =>
    `UPDATE _prisma_migrations SET ${column} = now() WHERE migration_name = '${name}' AND finished_at IS NULL`;
  return new MigrateError(
    `The migration ${name} was started by another program, and its end is not recorded. Look whether its changes are in ` +
      `the database. If they are: ${update('finished_at')}; if not: ${update('rolled_back_at')}. Then migrate again.`,
  );
}
