import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { connect } from '../postgres/connect.ts';
import { knownMigrations, type Migration, migrationsFolder, readMigration } from './migration-files.ts';
import {
  createTable,
  type FailedMigration,
  readRecorded,
  recordApplied,
  recordFailure,
  recordRollback,
  recordStart,
  recordSuccess,
} from './migration-table.ts';

export interface MigrateOptions {
  /** A direct connection: the lock does not survive a pooler. */
  url: string;
  /** Receives sentences about waiting and retrying. */
  report(line: string): void;
  /** The command that an operator types to run this, for the errors that name it. */
  command?: string;
  folder?: string;
  /** How long to wait for a server that is away, in milliseconds. */
  patience?: number;
  /** How long a migration is retried that does not get a lock, in milliseconds. */
  lockPatience?: number;
}

/** The database was not migrated; the message is whole sentences that say what to do. */
export class MigrateError extends Error {
  override readonly name = 'MigrateError';
}

/** Any number that no other program locks in this database. */
const lockKey = 7_204_513_311;
/** Prisma's own, so that `prisma migrate` and this wait for each other. */
const prismaLockKey = 72_707_369;
const lockRetryMs = 100;

/**
 * Statements that need a locked table wait behind a migration that waits for it, so it must not wait long: but longer
 * than the second after which Postgres's autovacuum gives way.
 */
const lockTimeoutMs = 2_000;
const lockNotAvailable = '55P03';
/** In this pause the statements that waited behind the migration are executed. */
const retryPauseMs = 3_000;
/** Other statements do not wait behind these, and when they give up they leave an invalid index. */
const withoutLockTimeout = /\bINDEX CONCURRENTLY\b/i;

/** Applies the migrations that the database lacks; returns their names. Several processes may call it at once. */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const { command = 'migrate', folder = migrationsFolder } = options;
  return await underLock(options, async (client) => {
    const { applied, failed } = await readRecorded(client);
    if (failed[0]) throw failedError(failed[0], command);
    const missing = (await knownMigrations(folder)).filter((name) => !applied.has(name));
    if (missing.length > 0 && !(await createTable(client))) {
      throw new MigrateError(
        'The database schema is not empty, and its tables were not made by these migrations. Use an empty database.',
      );
    }
    for (const name of missing) await applyWithRetries(client, await readMigration(folder, name), options);
    return missing;
  });
}

export interface Repair {
  /** Whether the failed migration's changes are in the database. */
  readonly as: 'applied' | 'rolled-back';
  readonly migration: string;
}

/** Records what an operator found out about a migration that failed; see `failedError`. */
export async function repair(options: MigrateOptions, { as, migration }: Repair): Promise<void> {
  const { folder = migrationsFolder } = options;
  await underLock(options, async (client) => {
    const { failed } = await readRecorded(client);
    if (!failed.some(({ name }) => name === migration)) {
      throw new MigrateError(
        `The migration ${migration} has not failed in this database: nothing to repair.`,
      );
    }
    if (as === 'rolled-back') await recordRollback(client, migration);
    else await recordApplied(client, await readMigration(folder, migration));
  });
}

async function underLock<T>(options: MigrateOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { url, report, patience = 6_000 } = options;
  const client = await connect(url, {
    patience,
    onRetry: (message, wait) => report(`${message}. Trying again in ${wait} ms.`),
  });
  try {
    await lock(client, () => report('Another process migrates this database: waiting for it.'));
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * The lock ends with the connection, however the process ends. It is polled: waiting for it inside Postgres would hold
 * a snapshot, and `CREATE INDEX CONCURRENTLY` waits for those.
 */
async function lock(client: pg.Client, onWait: () => void): Promise<void> {
  for (const key of [lockKey, prismaLockKey]) {
    for (let attempt = 0; ; attempt++) {
      const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
        key,
      ]);
      if (rows[0]?.locked) break;
      if (attempt === 0) onWait();
      await pause(lockRetryMs);
    }
  }
}

async function applyWithRetries(
  client: pg.Client,
  migration: Migration,
  { report, command = 'migrate', lockPatience = 30_000 }: MigrateOptions,
): Promise<void> {
  let until: number | undefined;
  while (!(await apply(client, migration, command))) {
    // Counted from the first lock timeout: the statements before it may have taken long.
    until ??= performance.now() + lockPatience;
    if (performance.now() >= until) throw lockError(migration.name, command);
    report(
      `The migration ${migration.name} needs a lock that another transaction holds. Trying again in ${retryPauseMs} ms.`,
    );
    await pause(retryPauseMs);
  }
}

/** One attempt; false when the migration did not get a lock in time. */
async function apply(client: pg.Client, migration: Migration, command: string): Promise<boolean> {
  const { name, script } = migration;
  const id = await recordStart(client, migration);
  try {
    await client.query(`SET lock_timeout = ${withoutLockTimeout.test(script) ? 0 : lockTimeoutMs}`);
    // Without parameters Postgres runs the whole script as one transaction, unless it is a single statement.
    await client.query(script);
    // Settings of the script must not affect what follows.
    await client.query('RESET ALL');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    // The script may have begun a transaction of its own.
    await client.query('ROLLBACK; RESET ALL');
    await recordFailure(
      client,
      id,
      `Database error code: ${error.code}\n\nDatabase error:\nERROR: ${error.message}`,
    );
    if (error.code === lockNotAvailable) {
      await recordRollback(client, name);
      return false;
    }
    const [failed] = (await readRecorded(client)).failed;
    throw failed ? failedError(failed, command) : error;
  }
  await recordSuccess(client, id);
  return true;
}

/** What failed and the commands that repair it. */
function failedError({ name, startedAt, reason }: FailedMigration, command: string): MigrateError {
  const at = startedAt.toISOString();
  if (reason) {
    return new MigrateError(
      `The migration ${name} failed at ${at} (${reason}). It runs in one transaction, so nothing of it is in ` +
        `the database: remove the cause, run "${command} --rolled-back ${name}", then "${command}" again.`,
    );
  }
  return new MigrateError(
    `The migration ${name} was begun at ${at} and interrupted. Look whether its changes are in the database: ` +
      `if they are, run "${command} --applied ${name}", if not, "${command} --rolled-back ${name}"; ` +
      `then "${command}" again.`,
  );
}

function lockError(name: string, command: string): MigrateError {
  return new MigrateError(
    `The migration ${name} needs a lock that another transaction has held all the time, so nothing of it is in the ` +
      'database. Wait for that transaction (a backup is one, too) or end it, then run ' +
      `"${command}" again. The oldest ones: SELECT pid, xact_start, state, query FROM pg_stat_activity ` +
      'WHERE xact_start IS NOT NULL ORDER BY xact_start LIMIT 5.',
  );
}
