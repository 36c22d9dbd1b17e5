import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError } from '@expert-relay/kit/config';
import { readConfig } from './config.ts';
import { MigrateError, migrate, repair } from './migrations/migrate.ts';
import { ConnectError } from './postgres/connect.ts';

/** Brings the database of DATABASE_DIRECT_URL or DATABASE_URL to this release's migrations. */
async function main(): Promise<string> {
  const { values } = parseArgs({
    options: { applied: { type: 'string' }, 'rolled-back': { type: 'string' } },
  });
  const options = { ...readConfig(), command: commandLine(), report: print };
  for (const as of ['applied', 'rolled-back'] as const) {
    const migration = values[as];
    if (migration === undefined) continue;
    await repair(options, { as, migration });
    return `Recorded the migration ${migration} as ${as}.`;
  }
  const applied = await migrate(options);
  if (applied.length === 0) return 'The database is up to date: no migration to apply.';
  return `Applied ${applied.length === 1 ? 'the migration' : 'the migrations'} ${applied.join(', ')}.`;
}

/** The command that started this process, as an operator would type it in the same folder. */
function commandLine(): string {
  const [, script = ''] = process.argv;
  const path = relative(process.cwd(), script);
  return `node ${path.startsWith('..') ? script : path}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  print(await main());
} catch (error) {
  if (error instanceof ConnectError)
    process.stderr.write(`${error.message} Check DATABASE_DIRECT_URL or DATABASE_URL.\n`);
  else if (error instanceof MigrateError || error instanceof ConfigError)
    process.stderr.write(`${error.message}\n`);
  else if (isUsage(error))
    process.stderr.write(
      `${error.message}\nKnown options: --applied <migration>, --rolled-back <migration>.\n`,
    );
  else throw error;
  process.exitCode = 1;
}

function isUsage(error: unknown): error is Error {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
}
