import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../processes/run-command.ts';
import { checkProgram } from '../find-program.ts';
import type { FoundProgram, ServerKind } from '../server-kind.ts';

/** Puts a package and what it needs that is not installed into the cache; nobody has to be root for that. */
export async function unpackPackages(name: string, cache: string): Promise<void> {
  const folder = join(cache, 'debian', name);
  if (existsSync(folder)) return;
  const draft = `${folder}.${process.pid}.new`;
  const lists = join(cache, 'debian', 'apt');
  mkdirSync(draft, { recursive: true });
  try {
    const own = ownLists(lists);
    // The system's lists of packages will do; where they are missing or out of date, our own.
    await download(name, draft, []).catch(() => refresh(lists, own).then(() => download(name, draft, own)));
    for (const file of readdirSync(draft).filter((entry) => entry.endsWith('.deb'))) {
      await runCommand({
        command: 'dpkg',
        args: ['-x', join(draft, file), draft],
        failure: `dpkg -x ${file} failed`,
      });
      rmSync(join(draft, file));
    }
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The program that was unpacked before, with the libraries beside it. */
export async function unpackedProgram(kind: ServerKind, cache: string): Promise<FoundProgram | undefined> {
  const folder = join(cache, 'debian', kind.debianPackage);
  const libraries = [join(folder, 'usr/lib'), join(folder, 'lib')]
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((entry) => join(parent, entry)))
    .filter((entry) => entry.includes('-linux-gnu'));
  const env = { LD_LIBRARY_PATH: libraries.join(':') };
  const files = kind.programs.flatMap((name) => [
    join(folder, 'usr/bin', name),
    join(folder, 'usr/sbin', name),
  ]);
  const file = files.find((path) => existsSync(path));
  return file ? checkProgram(kind, file, env) : undefined;
}

async function download(name: string, folder: string, options: readonly string[]): Promise<void> {
  const plan = await apt([...options, 'install', '--simulate', '--no-install-recommends', name], folder);
  const names = [...plan.matchAll(/^Inst (\S+)/gm)].flatMap(([, found]) => found ?? []);
  await apt([...options, 'download', ...names], folder);
}

async function refresh(lists: string, own: readonly string[]): Promise<void> {
  for (const part of ['lists/partial', 'archives/partial']) mkdirSync(join(lists, part), { recursive: true });
  await apt([...own, 'update'], lists);
}

function ownLists(folder: string): string[] {
  const places = [`Dir::State=${folder}`, `Dir::Cache=${folder}`, 'Dir::State::status=/var/lib/dpkg/status'];
  return places.flatMap((place) => ['-o', place]);
}

function apt(args: readonly string[], cwd: string): Promise<string> {
  const verb = args.find((word) => /^[a-z]+$/.test(word));
  return runCommand({ command: 'apt-get', args, cwd, timeout: 300_000, failure: `apt-get ${verb} failed` });
}
