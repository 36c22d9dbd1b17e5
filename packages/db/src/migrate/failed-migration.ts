import type { FailedMigration } from './applied-migrations.ts';
import { MigrateError } from './migrate-error.ts';

/** What went wrong with a migration and exactly what to run, given the command that runs `migrate`. */
export function failedMigration(migration: FailedMigration, command: string): MigrateError {
  const { name, startedAt, reason } = migration;
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
