import { resolve } from 'node:path';
import { root } from './local/home.ts';
import { runCommand } from './processes/run-command.ts';
import { buildPythonPackage, findClientPython } from './python/build-package.ts';
import { packages } from './release/publish.ts';

/** `npm run pack`: the packages of npm and of Python, as files in this folder. */
export async function pack(args: string[]): Promise<void> {
  const printed = await runCommand({
    command: 'npm',
    args: [
      ...['pack', '--loglevel=error', '--ignore-scripts=false'],
      ...packages.flatMap((name) => ['--workspace', `packages/${name}`]),
      ...args,
    ],
    cwd: root,
    failure: 'npm could not pack the packages.',
  });
  process.stdout.write(printed);
  const python = await findClientPython('build-requirements.txt');
  if ('missing' in python) {
    process.stderr.write(`clients/python was not packed: ${python.missing}.\n`);
    return;
  }
  const option = args.indexOf('--pack-destination');
  const folder = option < 0 ? '.' : (args[option + 1] ?? '.');
  const names = await buildPythonPackage(python.program, resolve(root, folder));
  process.stdout.write(`${names.join('\n')}\n`);
}
