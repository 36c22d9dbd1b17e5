import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../local/home.ts';
import { runCommand } from '../processes/run-command.ts';
import { findPythonWithPackages } from './find-python.ts';

export const pythonClient = join(root, 'clients/python');

/** A Python with the packages of one of the client's requirements files. */
export const findClientPython = (requirements: string) =>
  findPythonWithPackages(join(pythonClient, requirements));

/** Builds the wheel and the sdist into a folder, and returns their names. */
export async function buildPythonPackage(program: string, folder: string): Promise<readonly string[]> {
  const built = mkdtempSync(join(tmpdir(), 'relay-python-built-'));
  try {
    await runCommand({
      command: program,
      args: ['-m', 'hatchling', 'build', '--directory', built],
      cwd: pythonClient,
      timeout: 300_000,
      failure: 'hatchling could not build clients/python.',
    });
    mkdirSync(folder, { recursive: true });
    const names = readdirSync(built).filter((name) => /\.(whl|tar\.gz)$/.test(name));
    for (const name of names) copyFileSync(join(built, name), join(folder, name));
    return names;
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}
