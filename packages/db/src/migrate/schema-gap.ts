import type pg from 'pg';
import { appliedMigrations } from './applied-migrations.ts';

/** Services wait beside the migration as often as without one, and cannot know whether it runs. */
const waiting = 'waiting until it is applied (if no migration is running, run migrate)';

/**
 * Why this code cannot work with this database; `undefined` when the schema fits. Migrations that this code does not know are
 * fine: they belong to a newer release that is being rolled out.
 */
export async function schemaGap(
  client: pg.ClientBase,
  known: readonly string[],
): Promise<string | undefined> {
  const { applied, failed } = await appliedMigrations(client);
  const [unfinished] = failed;
  if (unfinished?.reason) {
    return `the migration ${unfinished.name} has failed: run migrate, which says how to repair it`;
  }
  if (unfinished) return `the migration ${unfinished.name} is not finished: ${waiting}`;
  const missing = known.filter((name) => !applied.has(name));
  if (missing.length === 0) return undefined;
  return `the database lacks ${missing.length === 1 ? 'the migration' : 'the migrations'} ${missing.join(', ')}: ${waiting}`;
}
