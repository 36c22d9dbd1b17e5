import { join } from 'node:path';
import { root } from '../local/home.ts';
import type { ServiceName } from '../local/services.ts';
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

/** Whether the older commit does not contain another one. */
export async function lacks(older: string, commit: string): Promise<boolean> {
  return (await git('rev-list', '--max-count=1', commit, '--not', older)) !== '';
}

/** Checks a commit out into a folder of its own and builds it with its own packages. */
export async function buildCommit(commit: string, folder: string): Promise<void> {
  await git('worktree', 'add', '--detach', folder, commit);
  await runCommand({
    command: process.execPath,
    args: [join(folder, 'scripts/run.mjs'), 'build'],
    cwd: folder,
    failure: `The older commit ${commit} could not be built.`,
  });
}

/** The folder of a tree was removed: git must know. */
export async function forgetRemovedTrees(): Promise<void> {
  await git('worktree', 'prune');
}

export type Release = 'older' | 'newer';

/**
 * Services that cannot run in both releases beside each other, which no change after the first release may cause. An
 * entry counts where the older commit was made before `since`.
 */
export const runAlone: readonly {
  readonly service: ServiceName;
  readonly release: Release;
  readonly since: string;
  readonly reason: string;
}[] = [
  {
    service: 'dashboard',
    release: 'newer',
    since: 'ce1653d7c7d0e1dfb841daf23294a1887266d892',
    reason:
      'Sessions name the identity that signed in, and sessions without one are refused. Before, only the local run ' +
      'had sessions.',
  },
];
