import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeOnce } from '../local/cached-folder.ts';
import { cacheFolder } from '../local/home.ts';
import { runCommand } from '../processes/run-command.ts';
import { leftToAllTests } from '../testing/left-to-all-tests.ts';
import { findPython, type Python } from './find-python.ts';

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
  const pins = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(cacheFolder(), 'python', `packages-${version}-${pins}`);
  // The environment can be moved after it was filled, because programs are run with `python -m`.
  const made = makeOnce(folder, async (draft) => {
    await runCommand({
      command: python.program,
      args: ['-m', 'venv', draft],
      timeout: 120_000,
      failure: 'python3 -m venv failed (on Debian and Ubuntu it is in the package python3-venv)',
    });
    const options = ['--quiet', '--timeout', '15', '--retries', '1', '--requirement', requirements];
    await runCommand({
      command: join(draft, 'bin/python'),
      args: ['-m', 'pip', 'install', ...options],
      timeout: 300_000,
      failure: `pip could not install ${requirements}`,
    });
  });
  return await made.then(
    () => ({ program: join(folder, 'bin/python'), version }),
    (error: Error) => ({ missing: error.message }),
  );
}
