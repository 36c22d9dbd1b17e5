import type pg from 'pg';
import { appliedMigrations } from './applied-migrations.ts';

/**
 * What keeps this code from working with this database; `undefined` when the schema fits. Migrations that
 * this code does not know are fine: they belong to a newer release that is being rolled out.
 */
export async function schemaGap(
  client: pg.ClientBase,
  known: readonly string[],
): Promise<string | undefined> {
  const { applied, failed } = await appliedMigrations(client);
  if (failed[0]) return `the migration ${failed[0].name} has failed: run migrate, which says how to mend it`;
  const missing = known.filter((name) => !applied.has(name));
  if (missing.length === 0) return undefined;
  return `the database lacks ${missing.length === 1 ? 'the migration' : 'the migrations'} ${missing.join(', ')}: run migrate`;
}
