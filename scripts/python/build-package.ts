import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../local/home.ts';
import { runCommand } from '../processes/run-command.ts';
import { findPythonWithPackages } from './find-python-with-packages.ts';

export const pythonClient = join(root, 'clients/python');

/** A Python with what builds the Python package. */
export const findPythonToBuild = () => findPythonWithPackages(join(pythonClient, 'build-requirements.txt'));

/** The same with what tests it, too. */
export const findPythonToTest = () => findPythonWithPackages(join(pythonClient, 'requirements.txt'));

/** The same with the agent frameworks that it has adapters for. */
export const findPythonForAdapters = () =>
  findPythonWithPackages(join(pythonClient, 'adapters-requirements.txt'));

/** One with CrewAI, which is apart because it is large. */
export const findPythonForCrewai = () =>
  findPythonWithPackages(join(pythonClient, 'crewai-requirements.txt'));

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
