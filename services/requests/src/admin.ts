import { once } from 'node:events';
import { failures } from '@expert-relay/db';
import { createDatabase } from '@expert-relay/db/prisma';
import { ConfigError } from '@expert-relay/kit/config';
import { StartupError } from '@expert-relay/kit/lifecycle';
import { createLog, lastLine } from '@expert-relay/kit/log';
import type { Write } from './admin/command.ts';
import { readCommand } from './admin/commands.ts';
import { readAdminConfig } from './config.ts';

const write: Write = async (text) => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
};

try {
  const run = readCommand(process.argv.slice(2));
  const config = readAdminConfig();
  const database = createDatabase({
    ...config.database,
    log: createLog('admin', { level: 'silent' }),
    // A batch of large messages may take long.
    statementTimeoutMs: 120_000,
  });
  await database.start?.();
  try {
    await run(database.prisma, write, config);
  } finally {
    await database.stop?.();
  }
} catch (error) {
  if (failures.isOutage(error)) {
    process.stderr.write(
      `Postgres did not answer, or could not do it: ${lastLine((error as Error).message)}\n` +
        'It is not known whether the command took effect. Look before you repeat it: create-user may have made keys that you have not seen.\n',
    );
  } else if (error instanceof StartupError || error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`);
  } else throw error;
  process.exitCode = 1;
}
