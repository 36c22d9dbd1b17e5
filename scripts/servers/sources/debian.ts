import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeOnce } from '../../local/cached-folder.ts';
import { runCommand } from '../../processes/run-command.ts';
import { StepError } from '../../terminal/failure.ts';
import { checkPrograms } from '../find-program.ts';
import type { FoundProgram, ProgramKind } from '../server-kind.ts';

const folderOf = (name: string, cache: string) => join(cache, 'debian', name);

/**
 * Unpacks a package of the distribution, and what it depends on and this machine does not have. Nothing is installed, so that
 * works without root. Returns the folder, and the environment in which its programs run.
 */
export async function unpackPackages(
  name: string,
  cache: string,
): Promise<{ folder: string; env: NodeJS.ProcessEnv }> {
  if (!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get')) {
    throw new StepError('this is no Debian or Ubuntu to get packages for');
  }
  const target = folderOf(name, cache);
  await makeOnce(target, async (folder) => {
    // The system's lists of packages first; where they are missing or out of date, our own.
    const lists = join(folder, 'apt');
    await download(name, folder).catch(async () => download(name, folder, await refreshedLists(lists)));
    rmSync(lists, { recursive: true, force: true });
    for (const file of readdirSync(folder).filter((entry) => entry.endsWith('.deb'))) {
      const args = ['-x', join(folder, file), folder];
      await runCommand({ command: 'dpkg', args, failure: `dpkg -x ${file} failed` });
      rmSync(join(folder, file));
    }
  });
  return { folder: target, env: environmentIn(target) };
}

/** The programs that were unpacked, by this run or an earlier one. */
export function unpackedPrograms(kind: ProgramKind, cache: string): Promise<FoundProgram[]> {
  const folder = folderOf(kind.debian, cache);
  const folders = [...kind.folders, 'usr/bin', 'usr/sbin'].map((one) => join(folder, one));
  return checkPrograms(kind, folders, environmentIn(folder));
}

/** The libraries that were unpacked beside a program. */
function environmentIn(folder: string): NodeJS.ProcessEnv {
  const libraries = ['usr/lib', 'lib']
    .flatMap((parent) => foldersIn(join(folder, parent)))
    .filter((entry) => entry.endsWith('-linux-gnu'))
    .flatMap((entry) => [entry, ...foldersIn(entry)]);
  // Chromium draws no text without fonts. They are unpacked where the machine has none.
  const fonts = existsSync(join(folder, 'etc/fonts/fonts.conf')) ? { FONTCONFIG_SYSROOT: folder } : {};
  return { LD_LIBRARY_PATH: libraries.join(':'), ...fonts };
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
}

async function download(name: string, folder: string, options: readonly string[] = []): Promise<void> {
  const plan = await apt('apt-get', [...options, 'install', '--simulate', ...onlyNeeded, name], folder);
  const names = [...plan.matchAll(/^Inst (\S+)/gm)].flatMap(([, found]) => found ?? []);
  const own = await ownPackages(name, folder, options);
  await apt('apt-get', [...options, 'download', ...new Set([...names, ...own])], folder);
}

const onlyNeeded = ['--no-install-recommends'];
const noOthers = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'];

/**
 * The packages into which the distribution has split a program, such as chromium-common. An installed one counts as well,
 * since its programs may be hidden from PATH, or older than needed.
 */
async function ownPackages(name: string, cwd: string, options: readonly string[]): Promise<string[]> {
  const limits = noOthers.map((relation) => `--no-${relation}`);
  const tree = await apt('apt-cache', [...options, 'depends', '--recurse', ...limits, name], cwd);
  const stem = name.replace(/^lib/, '').split('-')[0] ?? name;
  return [name, ...tree.split('\n').filter((line) => line === stem || line.startsWith(`${stem}-`))];
}

/** Options for lists of packages of our own, which are up to date. */
async function refreshedLists(folder: string): Promise<string[]> {
  const options = [`Dir::State=${folder}`, `Dir::Cache=${folder}`, 'Dir::State::status=/var/lib/dpkg/status'];
  const own = options.flatMap((option) => ['-o', option]);
  for (const part of ['lists/partial', 'archives/partial'])
    mkdirSync(join(folder, part), { recursive: true });
  await apt('apt-get', [...own, 'update'], folder);
  return own;
}

function apt(command: string, args: readonly string[], cwd: string): Promise<string> {
  const verb = args.find((word) => /^[a-z]+$/.test(word));
  return runCommand({ command, args, cwd, timeout: 300_000, failure: `${command} ${verb} failed` });
}
