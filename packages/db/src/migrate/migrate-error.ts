/** Why the database was not migrated, as whole sentences that say what to do. */
export class MigrateError extends Error {
  override readonly name = 'MigrateError';
}
