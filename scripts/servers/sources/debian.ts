import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeOnce } from '../../local/cached-folder.ts';
import { runCommand } from '../../processes/run-command.ts';
import { StepError } from '../../terminal/failure.ts';
import { checkPrograms, executables } from '../find-program.ts';
import type { Fetcher, FoundProgram, ServerKind } from '../server-kind.ts';

/** The distribution's packages, unpacked: nothing is installed or started on this machine. */
export const debian: Fetcher = {
  title: (kind) => `apt-get download ${kind.packages().debian}`,
  programs: unpackedPrograms,
  async fetch(kind, cache) {
    if (!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get')) {
      throw new StepError('this is no Debian or Ubuntu to get packages for');
    }
    await unpackPackages(kind.packages().debian, cache);
  },
};

/** Puts a package and its dependencies that are not installed into the cache. That works without root. */
export async function unpackPackages(name: string, cache: string): Promise<void> {
  await makeOnce(join(cache, 'debian', name), async (folder) => {
    // The system's lists of packages first; where they are missing or out of date, our own.
    await download(name, folder).catch(async () => {
      const own = await refreshedLists(join(cache, 'debian', 'apt'));
      await download(name, folder, own);
    });
    for (const file of readdirSync(folder).filter((entry) => entry.endsWith('.deb'))) {
      const args = ['-x', join(folder, file), folder];
      await runCommand({ command: 'dpkg', args, failure: `dpkg -x ${file} failed` });
      rmSync(join(folder, file));
    }
  });
}

/** The programs that were unpacked, with the libraries beside them. */
async function unpackedPrograms(kind: ServerKind, cache: string): Promise<FoundProgram[]> {
  const folder = join(cache, 'debian', kind.packages().debian);
  const libraries = [join(folder, 'usr/lib'), join(folder, 'lib')]
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((entry) => join(parent, entry)))
    .filter((entry) => entry.includes('-linux-gnu'));
  const files = executables(kind.programs, [join(folder, 'usr/bin'), join(folder, 'usr/sbin')]);
  return checkPrograms(kind, files, { LD_LIBRARY_PATH: libraries.join(':') });
}

async function download(name: string, folder: string, options: readonly string[] = []): Promise<void> {
  const plan = await apt([...options, 'install', '--simulate', '--no-install-recommends', name], folder);
  const names = [...plan.matchAll(/^Inst (\S+)/gm)].flatMap(([, found]) => found ?? []);
  await apt([...options, 'download', ...names], folder);
}

/** Options for lists of packages of our own, which are up to date. */
async function refreshedLists(folder: string): Promise<string[]> {
  const options = [`Dir::State=${folder}`, `Dir::Cache=${folder}`, 'Dir::State::status=/var/lib/dpkg/status'];
  const own = options.flatMap((option) => ['-o', option]);
  for (const part of ['lists/partial', 'archives/partial'])
    mkdirSync(join(folder, part), { recursive: true });
  await apt([...own, 'update'], folder);
  return own;
}

function apt(args: readonly string[], cwd: string): Promise<string> {
  const verb = args.find((word) => /^[a-z]+$/.test(word));
  return runCommand({ command: 'apt-get', args, cwd, timeout: 300_000, failure: `apt-get ${verb} failed` });
}
