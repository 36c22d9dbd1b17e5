import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openHome } from '../local/home.ts';
import { runCommand } from '../processes/run-command.ts';
import { findPython, type Python } from './find-python.ts';

/**
 * A Python with the packages of a requirements file, in a virtual environment that is created once and kept in the cache
 * beside the servers. If the machine's own Python can run `probe`, a line of code, it is used instead.
 */
export async function findPythonWithPackages(requirements: string, probe?: string): Promise<Python> {
  const python = await findPython();
  if ('missing' in python) return python;
  if (probe && (await runs(python.program, probe))) return python;
  const { version } = python;
  const pins = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(openHome().cache, 'python', `packages-${version}-${pins}`);
  const program = join(folder, 'bin/python');
  if (existsSync(program)) return { program, version };

  const draft = `${folder}.${process.pid}.new`;
  try {
    await runCommand({
      command: python.program,
      args: ['-m', 'venv', draft],
      timeout: 120_000,
      failure: 'python3 -m venv failed (on Debian and Ubuntu it is in the package python3-venv)',
    });
    await runCommand({
      command: join(draft, 'bin/python'),
      args: [
        '-m',
        'pip',
        'install',
        '--quiet',
        '--timeout',
        '15',
        '--retries',
        '1',
        '--requirement',
        requirements,
      ],
      timeout: 300_000,
      failure: `pip could not install ${requirements}`,
    });
    // The environment can be moved, because programs are run with `python -m`.
    renameSync(draft, folder);
    return { program, version };
  } catch (error) {
    // Another process may have created it in the meantime.
    return existsSync(program) ? { program, version } : { missing: (error as Error).message };
  } finally {
    // Children of a pip that was stopped may still write for a moment.
    rmSync(draft, { recursive: true, force: true, maxRetries: 20 });
  }
}

async function runs(program: string, line: string): Promise<boolean> {
  const run = runCommand({
    command: program,
    args: ['-c', line],
    timeout: 30_000,
    failure: 'It does not run.',
  });
  return await run.then(
    () => true,
    () => false,
  );
}
