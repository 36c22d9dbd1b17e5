import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../processes/run-command.ts';
import { inOneLine } from '../../terminal/failure.ts';
import { checkProgram, findPrograms } from '../find-program.ts';
import { type Found, type FoundProgram, pickProgram, type ServerKind, type Source } from '../server-kind.ts';

/**
 * The distribution's packages: installed when we are root, else unpacked into the cache. Not for
 * Postgres, whose package makes and starts a cluster; the npm package has no such effects.
 */
export const fromDebian: Source = async (all, home, say) => {
  const wanted = all.filter(({ kind }) => kind.name !== 'postgres');
  if (wanted.length === 0) return { found: [] };
  if (!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get')) {
    return { found: [], trouble: 'this is no Debian or Ubuntu to get packages for' };
  }
  const names = wanted.map(({ kind }) => kind.debianPackage);
  say(`apt-get ${names.join(' ')}`);
  let trouble: string | undefined;
  if (process.getuid?.() === 0) {
    trouble = await troubleOf(installPackages(names));
    const found = await Promise.all(
      wanted.map(async (one) => pickProgram(one, await findPrograms(one.kind))),
    );
    if (!trouble) return { found: found.flatMap((one) => one ?? []) };
  }
  const found: Found[] = [];
  for (const one of wanted) {
    trouble = (await troubleOf(unpackPackages(one.kind.debianPackage, home.cache))) ?? trouble;
    const program = await unpackedProgram(one.kind, home.cache);
    const picked = program && pickProgram(one, [program]);
    if (picked) found.push(picked);
  }
  return found.length === wanted.length
    ? { found }
    : { found, trouble: trouble ?? 'the packages are too old' };
};

async function troubleOf(work: Promise<void>): Promise<string | undefined> {
  return work.then(() => undefined, inOneLine);
}

const policy = '/usr/sbin/policy-rc.d';
const mark = '# Left by Expert Relay; safe to remove.';

/** Installs packages as root, without letting the services in them start by themselves. */
export async function installPackages(names: readonly string[]): Promise<void> {
  const install = () => aptAsRoot(['install', '-y', '--no-install-recommends', ...names]);
  const allow = forbidStarting();
  try {
    // Fails when the lists of packages are missing or out of date.
    await install().catch(() => aptAsRoot(['update']).then(install));
  } finally {
    allow();
  }
  // Nor at the next boot. Not every package brings a service.
  const units = names.filter((name) => existsSync(`/lib/systemd/system/${name}.service`));
  if (units.length > 0 && existsSync('/run/systemd/system')) {
    await runCommand({
      command: 'systemctl',
      args: ['disable', ...units],
      failure: 'systemctl disable failed',
    });
  }
}

function aptAsRoot(args: readonly string[]): Promise<string> {
  return runCommand({
    command: 'apt-get',
    args: ['-o', 'DPkg::Lock::Timeout=60', ...args],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 600_000,
    failure: `apt-get ${args.join(' ')} failed`,
  });
}

/** By Debian's mechanism, a program that exits with 101. One of the administrator's own is left as it is. */
function forbidStarting(): () => void {
  if (existsSync(policy) && !readFileSync(policy, 'utf8').includes(mark)) return () => undefined;
  writeFileSync(policy, `#!/bin/sh\n${mark}\nexit 101\n`, { mode: 0o755 });
  return () => rmSync(policy, { force: true });
}

/** Puts a package and its dependencies that are not installed into the cache. That works without root. */
export async function unpackPackages(name: string, cache: string): Promise<void> {
  const folder = join(cache, 'debian', name);
  if (existsSync(folder)) return;
  const draft = `${folder}.${process.pid}.new`;
  const lists = join(cache, 'debian', 'apt');
  mkdirSync(draft, { recursive: true });
  try {
    const own = ownLists(lists);
    // The system's lists of packages first; where they are missing or out of date, our own.
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
  const options = [`Dir::State=${folder}`, `Dir::Cache=${folder}`, 'Dir::State::status=/var/lib/dpkg/status'];
  return options.flatMap((option) => ['-o', option]);
}

function apt(args: readonly string[], cwd: string): Promise<string> {
  const verb = args.find((word) => /^[a-z]+$/.test(word));
  return runCommand({ command: 'apt-get', args, cwd, timeout: 300_000, failure: `apt-get ${verb} failed` });
}
