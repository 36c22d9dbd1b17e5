import { chownSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from '../processes/run-command.ts';
import { type Account, runAs } from './run-as.ts';
import type { FoundProgram, Place } from './server-kind.ts';

export const postgresUser = 'relay';

/** Makes a cluster: UTF-8, sorted by code point, nobody gets in without the password. */
export async function initialisePostgres(
  { data, password, durable }: Place,
  program: FoundProgram,
  account: Account | undefined,
): Promise<void> {
  // Made aside and renamed when complete: a start that is broken off leaves no half of a cluster.
  const draft = `${data}.new`;
  const passwordFile = `${data}.password`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) for (const path of [draft, passwordFile]) chownSync(path, account.uid, account.gid);

  const initdb = join(dirname(program.path), 'initdb');
  const secured = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`, `--username=${postgresUser}`];
  const args = ['-D', draft, ...secured, '--encoding=UTF8', '--locale=C', ...(durable ? [] : ['--no-sync'])];
  try {
    await runCommand({
      ...runAs(account, { command: initdb, args }, [draft, initdb]),
      env: { ...process.env, LC_ALL: 'C', ...program.env },
      cwd: '/',
      timeout: 120_000,
      failure: `Postgres could not make its data folder ${data}.`,
    });
  } finally {
    rmSync(passwordFile);
  }
  // Whatever else lies in that place is not ours to remove.
  rmdirSync(data);
  renameSync(draft, data);
}
