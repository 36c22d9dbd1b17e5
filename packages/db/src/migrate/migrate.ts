import type pg from 'pg';
import { connect } from '../postgres/connect.ts';
import { appliedMigrations } from './applied-migrations.ts';
import type { Mend } from './apply-migrations.ts';
import { failedMigration } from './failed-migration.ts';
import { knownMigrations, migrationsFolder } from './known-migrations.ts';
import { MigrateError } from './migrate-error.ts';
import { lockMigrations } from './migration-lock.ts';

export interface MigrateOptions {
  /** A direct connection: the lock does not survive a pooler. */
  url: string;
  /** Hears of waiting and retrying, in sentences. */
  report(line: string): void;
  /** What an operator types to run this, for the errors that say so. */
  command?: string;
  folder?: string;
  /** How long a server that is away is waited for, in milliseconds. */
  patience?: number;
  /** How long to go on trying for a lock that somebody else holds, in milliseconds. */
  lockPatience?: number;
}

/** Brings the database to this code's migrations; gives those that were missing. Safe to run many times at once. */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const { url, report, command = 'migrate', folder = migrationsFolder, lockPatience = 30_000 } = options;
  return await underLock(options, async (client) => {
    const before = await appliedMigrations(client);
    if (before.failed[0]) throw failedMigration(before.failed[0], command);
    const missing = (await knownMigrations(folder)).filter((name) => !before.applied.has(name));
    if (missing.length === 0) return [];

    // Loaded only now: most runs find nothing to do, and the engine is large.
    const { applyPatiently } = await import('./apply-patiently.ts');
    await applyPatiently(client, { url, folder, command, report, lockPatience });
    return missing;
  });
}

/** Takes a failed migration out of the way; see `failedMigration`. */
export async function mend(options: MigrateOptions, how: Mend): Promise<void> {
  await underLock(options, async (client) => {
    const { failed } = await appliedMigrations(client);
    if (!failed.some((migration) => migration.name === how.migration)) {
      throw new MigrateError(
        `The migration ${how.migration} has not failed in this database: nothing to mend.`,
      );
    }
    const { mendMigration } = await import('./apply-migrations.ts');
    await mendMigration(options.url, options.folder ?? migrationsFolder, how);
  });
}

async function underLock<T>(options: MigrateOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { url, report, patience = 6_000 } = options;
  const client = await connect(url, {
    patience,
    onRetry: (message, wait) => report(`${message}. Trying again in ${wait} ms.`),
  });
  try {
    await lockMigrations(client, () => report('Another process migrates this database: waiting for it.'));
    return await work(client);
  } finally {
    await client.end();
  }
}
