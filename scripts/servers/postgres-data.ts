import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from '../processes/run-command.ts';
import { findOnPath } from './find-program.ts';
import type { FoundProgram, Launch, Placement } from './server-kind.ts';

export const superuser = 'relay';

/** Makes a cluster: UTF-8, sorted by code point, with a password. */
export async function initialisePostgres(
  { data, password, durable }: Placement,
  program: FoundProgram,
): Promise<void> {
  // Renamed when complete, so that an interrupted start leaves no incomplete cluster.
  const draft = `${data}.new`;
  const passwordFile = `${data}.password`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const account = accountFor(data);
  if (account) for (const path of [draft, passwordFile]) chownSync(path, account.uid, account.gid);

  const secured = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`, `--username=${superuser}`];
  const args = ['-D', draft, ...secured, '--encoding=UTF8', '--locale=C', ...(durable ? [] : ['--no-sync'])];
  try {
    await runCommand({
      ...asPostgresUser(data, join(dirname(program.path), 'initdb'), args),
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

/** A program of Postgres, which refuses to run as root: then another user runs it. */
export function asPostgresUser(data: string, command: string, args: readonly string[]): Launch {
  const account = accountFor(data);
  if (!account) return { command, args };
  const setpriv = findOnPath(['setpriv']);
  if (!setpriv || ![data, command].some(isClosed)) return { command, args, ...account };
  // For a clone under /root: of root's capabilities, the program keeps the one to enter folders.
  const drop = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  const keep = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return { command: setpriv, args: [...drop, ...keep, '--', command, ...args] };
}

/** Whether only its owner can enter one of the folders above. */
function isClosed(path: string): boolean {
  const folder = dirname(path);
  return (statSync(folder).mode & 0o001) === 0 || (folder !== path && isClosed(folder));
}

/** Postgres refuses to run as root, so root runs it as the data's owner, or as `nobody`, an account of every system. */
function accountFor(data: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(data);
  if (uid !== 0) return { uid, gid };
  const idOf = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
