import { chownSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { identify, readDetails } from '../processes/process-identity.ts';
import { runCommand } from '../processes/run-command.ts';
import { stopProcesses } from '../processes/stop-processes.ts';
import { type Account, runAs } from './run-as.ts';
import type { FoundProgram, Placement } from './server-kind.ts';

export const postgresUser = 'relay';

/** Makes a cluster: UTF-8, sorted by code point, with a password. */
export async function initialisePostgres(
  { data, password, durable }: Placement,
  program: FoundProgram,
  account: Account | undefined,
): Promise<void> {
  // Renamed when complete, so that an interrupted start leaves no incomplete cluster.
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
  // Fails if the folder has other content, which is not ours to remove.
  rmdirSync(data);
  renameSync(draft, data);
}

/**
 * A killed Postgres leaves its pid file, and the next one refuses to start while any process has that pid. If that is
 * another program, the file is removed; if it is a Postgres with this data, it is stopped. A pid that no process has is
 * left to Postgres, which also looks for its own processes that still have the data open.
 */
export async function clearStalePidFile(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  const pid = readPid(file);
  const identity = pid && identify(pid);
  if (!pid || !identity) return;
  if (readDetails(pid)?.words.join(' ').includes(data)) {
    await stopProcesses([{ name: 'postgres', tier: 0, pid, identity, stopSignal: 'SIGINT' }], {
      limit: 10_000,
    });
  } else {
    rmSync(file);
  }
}

function readPid(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8').split('\n')[0]);
  } catch {
    return undefined;
  }
}
