import { failures } from '@expert-relay/db';
import { createDatabase } from '@expert-relay/db/prisma';
import { ConfigError } from '@expert-relay/kit/config';
import { StartupError } from '@expert-relay/kit/lifecycle';
import { createLog, lastLine } from '@expert-relay/kit/log';
import type { Write } from './admin/command.ts';
import { helpOf, readCommand } from './admin/commands.ts';
import { readAdminConfig } from './config.ts';

// Each write reports its own error.
process.stdout.on('error', () => {});
const write: Write = (text) =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(unwritten(error)) : resolve()));
  });

const unwritten = ({ code }: NodeJS.ErrnoException) =>
  new StartupError(
    `The output could not be written (${code}), and what the command has done stays done. Keys that create-user has made ` +
      'are shown nowhere else: revoke them on the page "Agent keys".',
  );

async function runCommand(args: readonly string[]): Promise<void> {
  const help = helpOf(args);
  if (help) return void process.stdout.write(help);
  const run = readCommand(args);
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
}

try {
  await runCommand(process.argv.slice(2));
} catch (error) {
  if (failures.isOutage(error)) {
    process.stderr.write(
      `Postgres did not respond, or could not do it: ${lastLine((error as Error).message)}\n` +
        'It is not known whether the command took effect. Look before you repeat it: create-user may have made keys that you have not seen.\n',
    );
  } else if (error instanceof StartupError || error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`);
  } else throw error;
  process.exitCode = 1;
}
