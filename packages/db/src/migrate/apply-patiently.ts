import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { appliedMigrations } from './applied-migrations.ts';
import { applyMigrations, mendMigration } from './apply-migrations.ts';
import { failedMigration } from './failed-migration.ts';
import { MigrateError } from './migrate-error.ts';

/** Meanwhile those who queued up behind the migration get their turn. */
const pauseBetween = 3_000;

/** Applies what is missing. What waited too long for a lock has left nothing behind, and is tried again. */
export async function applyPatiently(
  client: pg.ClientBase,
  options: { url: string; folder: string; command: string; report(line: string): void; lockPatience: number },
): Promise<void> {
  const { url, folder, command, report, lockPatience } = options;
  // From when it was first locked out: those before it may have walked many rows.
  let patience = { name: '', until: 0 };
  for (;;) {
    try {
      await applyMigrations(url, folder);
      return;
    } catch (error) {
      const { failed } = await appliedMigrations(client);
      if (!failed[0]) throw new MigrateError(firstLine(error));
      if (!failed[0].lockedOut) throw failedMigration(failed[0], command);
      const { name } = failed[0];
      await mendMigration(url, folder, { as: 'rolled-back', migration: name });
      if (patience.name !== name) patience = { name, until: performance.now() + lockPatience };
      if (performance.now() >= patience.until) throw lockedOut(name, command);
      report(
        `The migration ${name} needs a lock that somebody else holds. Trying again in ${pauseBetween} ms.`,
      );
    }
    await pause(pauseBetween);
  }
}

function lockedOut(name: string, command: string): MigrateError {
  return new MigrateError(
    `The migration ${name} needs a lock that somebody else has held all the time, so nothing of it is in the ` +
      'database. Wait for that transaction (a backup is one, too) or end it, then run ' +
      `"${command}" again. The oldest ones: SELECT pid, xact_start, state, query FROM pg_stat_activity ` +
      'WHERE xact_start IS NOT NULL ORDER BY xact_start LIMIT 5.',
  );
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line;
}
