import { join } from 'node:path';
import { root } from '../../scripts/local/home.ts';
import { runCommand } from '../../scripts/processes/run-command.ts';
import { findCompiler } from '../../scripts/steps/build.ts';

/** The output folder of `bench/tsconfig.json`. */
export const built = join(root, 'bench/.relay-built');

/** Compiles `bench/programs`. */
export async function buildPrograms(): Promise<void> {
  await runCommand({
    command: await findCompiler(),
    args: ['--project', 'bench'],
    cwd: root,
    failure: 'The programs of the bench do not compile; the compiler says above where.',
  });
}
