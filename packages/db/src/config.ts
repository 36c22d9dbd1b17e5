import { databaseVariables, directDatabaseVariable, read } from '@expert-relay/kit/config';

/** What `migrate` reads. */
export const variables = {
  url: databaseVariables.url,
  directUrl: directDatabaseVariable,
  patience: databaseVariables.patience,
};

/** The database that `migrate` works on: locks and migrations need a connection without a pooler. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): { url: string; patience: number } {
  const { url, ...others } = variables;
  const { directUrl, patience } = read(others, env);
  return { url: directUrl ?? read({ url }, env).url, patience };
}
