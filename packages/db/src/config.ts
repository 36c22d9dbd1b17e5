import { databaseVariables, directDatabaseVariable, read } from '@expert-relay/kit/config';

/** The database that `migrate` works on: locks and migrations need a connection without a pooler. */
export function readMigrateUrl(env: NodeJS.ProcessEnv = process.env): string {
  return read({ url: directDatabaseVariable }, env).url ?? read({ url: databaseVariables.url }, env).url;
}
