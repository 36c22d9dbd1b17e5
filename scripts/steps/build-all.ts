import { join } from 'node:path';
import { root } from '../local/home.ts';
import { runCommand } from '../processes/run-command.ts';

const compiler = join(root, 'node_modules/typescript/bin/tsc');

/** Compiles what changed since the last time. */
export async function buildAll(): Promise<void> {
  await runCommand({
    command: process.execPath,
    args: [compiler, '--build', 'tsconfig.build.json'],
    cwd: root,
    failure:
      'The code does not compile; the compiler says above where. Mend that, then run the same command again.',
  });
}
