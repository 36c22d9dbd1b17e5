import { createDatabase } from '@expert-relay/db';
import { ConfigError } from '@expert-relay/kit/config';
import { StartupError } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createUser } from './admin/create-user.ts';
import { readArguments } from './admin/read-arguments.ts';
import { readAdminConfig } from './config.ts';

try {
  const { json, ...user } = readArguments(process.argv.slice(2));
  const database = createDatabase({
    ...readAdminConfig().database,
    log: createLog('admin', { level: 'silent' }),
  });
  await database.start?.();
  try {
    const created = await createUser(database.prisma, user);
    process.stdout.write(
      json
        ? `${JSON.stringify(created)}\n`
        : [`user ${created.userId}`, ...created.keys.map(({ kind, key }) => `${kind} key ${key}`), ''].join(
            '\n',
          ),
    );
  } finally {
    await database.stop?.();
  }
} catch (error) {
  if (!(error instanceof StartupError || error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
