import { join } from 'node:path';
import { root } from '../local/home.ts';
import { type ServiceName, services } from '../local/services.ts';
import { runCommand } from '../processes/run-command.ts';

const migrations = 'packages/db/prisma/migrations';

const git = async (...args: string[]): Promise<string> =>
  (await runCommand({ command: 'git', args, cwd: root, failure: `git ${args[0]} failed.` })).trim();

/** The newest release before this commit; while there is none, the commit before the newest migration. */
export async function findOlderCommit(): Promise<string> {
  const tags = await git('tag', '--list', 'v*', '--merged', 'HEAD^', '--sort=-version:refname');
  const [release] = tags.split('\n');
  if (release) return git('rev-parse', `${release}^{commit}`);
  const files = await git('ls-files', `${migrations}/*/migration.sql`);
  const newest = files.split('\n').sort().at(-1) ?? '';
  return git('rev-parse', `${await git('log', '--diff-filter=A', '--format=%H', '-1', '--', newest)}^`);
}

/** Checks a commit out into a folder of its own, and builds it with its own packages. */
export async function buildCommit(commit: string, folder: string): Promise<void> {
  // Folders of earlier runs were removed, and git still lists them.
  await git('worktree', 'prune');
  await git('worktree', 'add', '--detach', folder, commit);
  await runCommand({
    command: process.execPath,
    args: [join(folder, 'scripts/run.mjs'), 'build'],
    cwd: folder,
    failure: `The older commit ${commit} could not be built.`,
  });
}

export type Release = 'older' | 'newer';

/** The services that run in only one release: those that the older one does not have yet. */
export async function servicesThatRunAlone(older: string): Promise<Partial<Record<ServiceName, Release>>> {
  const known = (await git('ls-tree', '--name-only', older, 'services/')).split('\n');
  const added = services.filter(({ name }) => !known.includes(`services/${name}`));
  return Object.fromEntries(added.map(({ name }) => [name, 'newer' as const]));
}
