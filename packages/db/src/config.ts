import { ConfigError, databaseVariables, directDatabaseVariable, read } from '@expert-relay/kit/config';

/** The settings of `migrate`. One of the two addresses is enough. */
export const variables = {
  url: { ...databaseVariables.url, fallback: '' },
  directUrl: directDatabaseVariable,
  patience: databaseVariables.patience,
};

/** The database to migrate. Locks and migrations need a connection without a pooler. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): { url: string; patience: number } {
  const { directUrl, url = directUrl, patience } = read(variables, env);
  if (url === undefined) {
    throw new ConfigError([
      'DATABASE_URL is not set. Set it to the address of Postgres, or DATABASE_DIRECT_URL where DATABASE_URL leads through a pooler.',
    ]);
  }
  return { url: directUrl ?? url, patience };
}
