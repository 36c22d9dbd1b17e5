import { join } from 'node:path';
import { root } from '../local/home.ts';
import { runCommand } from '../processes/run-command.ts';

/** Brings the database to the schema of the code. */
export async function migrate(env: NodeJS.ProcessEnv): Promise<void> {
  await runCommand({
    command: process.execPath,
    args: [join(root, 'packages/db/dist/migrate.js')],
    cwd: root,
    env,
    failure:
      'The database could not be brought up to date. What stands above says why; then run the same command again.',
  });
}
