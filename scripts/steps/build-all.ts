import { root } from '../local/home.ts';
import { runCommand } from '../processes/run-command.ts';
import { findCompiler } from './find-compiler.ts';

/** Compiles what changed since the last time. */
export async function buildAll(): Promise<void> {
  await runCommand({
    command: await findCompiler(),
    args: ['--build', 'tsconfig.build.json'],
    cwd: root,
    failure:
      'The code does not compile; the compiler says above where. Mend that, then run the same command again.',
  });
}
