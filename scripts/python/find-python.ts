import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeOnce } from '../local/cached-folder.ts';
import { cacheFolder } from '../local/home.ts';
import { runCommand } from '../processes/run-command.ts';
import { findOnPath } from '../servers/find-program.ts';
import { leftToAllTests } from '../testing/left-to-all-tests.ts';

/** A Python of this machine, or the reason why there is none: then its tests are skipped. */
export type Python = FoundPython | { readonly missing: string };

interface FoundPython {
  readonly program: string;
  readonly version: string;
}

/** The first Python on PATH, if it is 3.10 or later. */
export async function findPython(path = process.env.PATH ?? ''): Promise<Python> {
  const program = findOnPath(['python3', 'python'], { path });
  if (!program) return { missing: 'there is no python3 on PATH' };
  const version = await runCommand({
    command: program,
    args: ['-c', 'import sys; print(*sys.version_info[:2], sep=".")'],
    timeout: 30_000,
    failure: `${program} does not run.`,
  }).catch(() => '0.0');
  const [major = 0, minor = 0] = version.trim().split('.').map(Number);
  if (major === 3 && minor >= 10) return { program, version: version.trim() };
  return { missing: `${program} is Python ${version.trim()}, and 3.10 or later is needed` };
}

// Python compiles what is imported, which is a small part of the packages.
const pipOptions = ['--quiet', '--no-compile', '--timeout', '15', '--retries', '1'];

const folderOf = (what: string, version: string, requirements: string): string => {
  const pins = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  return join(cacheFolder(), 'python', `${what}-${version}-${pins}`);
};

/**
 * A Python with the packages of a requirements file, in a virtual environment that is created once and kept in the cache
 * beside the servers.
 */
export async function findPythonWithPackages(requirements: string): Promise<Python> {
  const left = leftToAllTests('A Python with packages');
  if (left) return left;
  const python = await findPython();
  if ('missing' in python) return python;
  const { version } = python;
  const folder = folderOf('packages', version, requirements);
  // The environment can be moved after it was filled, because programs are run with `python -m`.
  const made = makeOnce(folder, async (draft) => {
    await runCommand({
      command: python.program,
      args: ['-m', 'venv', draft],
      timeout: 120_000,
      failure: 'python3 -m venv failed (on Debian and Ubuntu it is in the package python3-venv)',
    });
    await runCommand({
      command: join(draft, 'bin/python'),
      args: ['-m', 'pip', 'install', ...pipOptions, '--requirement', requirements],
      timeout: 300_000,
      failure: `pip could not install ${requirements}`,
    });
  });
  return await made.then(
    () => ({ program: join(folder, 'bin/python'), version }),
    (error: Error) => ({ missing: error.message }),
  );
}

/**
 * A folder with the packages of a requirements file, without what they depend on: on `PYTHONPATH` they take the place of those of the
 * Python.
 */
export async function installOver({ program, version }: FoundPython, requirements: string): Promise<string> {
  const folder = folderOf('over', version, requirements);
  await makeOnce(folder, async (draft) => {
    await runCommand({
      command: program,
      args: [
        '-m',
        'pip',
        'install',
        ...pipOptions,
        '--no-deps',
        '--target',
        draft,
        '--requirement',
        requirements,
      ],
      timeout: 300_000,
      failure: `pip could not install ${requirements}`,
    });
  });
  return folder;
}
