import { parseArgs } from 'node:util';
import { ConfigError } from '@expert-relay/kit/config';
import { readConfig } from './config.ts';
import { MigrateError, migrate } from './migrations/migrate.ts';
import { ConnectError } from './postgres/connect.ts';

/* Brings the database of DATABASE_DIRECT_URL or DATABASE_URL to this release's migrations. */

const print = (line: string) => void process.stdout.write(`${line}\n`);

try {
  // Refuses all arguments.
  parseArgs();
  const applied = await migrate({ ...readConfig(), report: print });
  if (applied.length === 0) print('The database is up to date: no migration to apply.');
  else print(`Applied ${applied.length === 1 ? 'the migration' : 'the migrations'} ${applied.join(', ')}.`);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}

/** A sentence for the operator; an unexpected error is thrown again. */
function explain(error: unknown): string {
  if (error instanceof MigrateError || error instanceof ConfigError) return error.message;
  if (error instanceof ConnectError) return `${error.message} Check DATABASE_DIRECT_URL or DATABASE_URL.`;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code?.startsWith('ERR_PARSE_ARGS'))
    return `${message}\nThis program takes no arguments: it reads the environment.`;
  throw error;
}
