import { existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { StepError } from '../terminal/failure.ts';

/** The account that Postgres runs as when we are root, since it refuses to run as root. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** The account for a data folder: its owner, or one that every system has. `undefined` unless we are root. */
export function chooseAccount(data: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readAccounts();
  const owner = statSync(data, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) {
    return {
      name: accounts.find(({ uid }) => uid === owner.uid)?.name ?? String(owner.uid),
      uid: owner.uid,
      gid: owner.gid,
    };
  }
  const account =
    accounts.find(({ name }) => name === 'postgres') ?? accounts.find(({ name }) => name === 'nobody');
  if (account) return account;
  throw new StepError(
    'Postgres does not run as root, and there is no account "nobody" to run it as. Start as another user.',
  );
}

interface Runnable {
  command: string;
  args: readonly string[];
  uid?: number;
  gid?: number;
}

/** The same command, run by that account, which may lack the right to enter the folders above `paths`. */
export function runAs(
  account: Account | undefined,
  { command, args }: Runnable,
  paths: readonly string[],
): Runnable {
  if (!account) return { command, args };
  const closed = paths.flatMap(parents).find((folder) => (statSync(folder).mode & 0o001) === 0);
  if (!closed) return { command, args, uid: account.uid, gid: account.gid };
  const setpriv = (process.env.PATH ?? '')
    .split(delimiter)
    .find((folder) => existsSync(join(folder, 'setpriv')));
  if (process.platform !== 'linux' || setpriv === undefined) {
    throw new StepError(
      `Postgres does not run as root, and the user ${account.name} may not enter ${closed}. Start as an ` +
        'ordinary user, or let RELAY_HOME and RELAY_CACHE name folders that all may enter.',
    );
  }
  // For a clone under /root: of root's capabilities it keeps the one to enter folders.
  const drop = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  const keep = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return { command: join(setpriv, 'setpriv'), args: [...drop, ...keep, '--', command, ...args] };
}

function readAccounts(): Account[] {
  if (!existsSync('/etc/passwd')) return [];
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

function parents(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [folder] : [...parents(folder), folder];
}
