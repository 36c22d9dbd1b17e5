import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandsOf } from '../operations/page-commands.ts';
import { kubectl, secretOf, shell } from './shell.ts';
import { withPostgres } from './with-postgres.ts';

const postgres = (...command: string[]): Promise<string> =>
  kubectl('exec', 'statefulset/expert-relay-postgres', '--', ...command);

/** The number of rows of the tables that hold what users wrote. */
const rowsOf = (name: string): Promise<string> =>
  postgres(
    'psql',
    '--username=relay',
    `--dbname=${name}`,
    '--tuples-only',
    '--command',
    'SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM api_keys), (SELECT count(*) FROM help_requests), (SELECT count(*) FROM messages)',
  );

/**
 * Backs up and restores with the commands of docs/backup.md, into another database of the trial server. Returns the rows
 * before and after. `pg_dump` and `pg_restore` reach the server by `kubectl port-forward`.
 */
export async function restoreBackup(): Promise<{ saved: string; restored: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-backup-'));
  const [backUp = '', backUpSecret = ''] = commandsOf('Back up');
  const [stop = '', restore = '', start = ''] = commandsOf('Into the new database');
  const inFolder = (command: string, env: string) => shell(`cd '${folder}'; ${env}; ${command}`);
  try {
    await withPostgres((url) => inFolder(backUp, `DATABASE_URL='${url}/relay'`));
    await shell(`cd '${folder}'; ${backUpSecret}`);
    const saved = await rowsOf('relay');
    await shell(stop);
    await postgres('psql', '--username=relay', '--command', 'CREATE DATABASE restored');
    await withPostgres((url) => inFolder(restore, `RESTORED_URL='${url}/restored'`));
    const restored = await rowsOf('restored');
    const url = (await secretOf('DATABASE_URL')).replace(/\/relay$/, '/restored');
    await shell(`RESTORED_URL='${url}'; ${start}`);
    return { saved, restored };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
