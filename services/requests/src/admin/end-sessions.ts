import { createLog } from '@expert-relay/kit/log';
import { type Command, findUser, parseOptions, userOptions } from './command.ts';

const usage = `Signs a user out everywhere, for example after a device was lost.

  node services/requests/dist/admin.js end-sessions --user USER_ID
  node services/requests/dist/admin.js end-sessions --identity PROVIDER:SUBJECT

Within five seconds after the command, the dashboard ends the user's sessions with their streams, and those that begin in
the 30 seconds after it. Sign-in links that were not used yet no longer work. API keys stay valid: revoke them too.
It reads DATABASE_URL, and writes an audit line to standard error.
`;

export const endSessionsCommand: Command = {
  usage,
  read(args) {
    const find = findUser(parseOptions(args, userOptions, usage), usage);
    return async (prisma, write) => {
      const { id: userId, name } = await find(prisma);
      // By the database's clock, which all processes share.
      await prisma.$executeRaw`
        WITH links AS (
          UPDATE sign_in_links SET used_at = clock_timestamp() WHERE user_id = ${userId}::uuid AND used_at IS NULL
        )
        UPDATE users SET sessions_ended_at = clock_timestamp() WHERE id = ${userId}::uuid`;
      const log = createLog('admin', { level: 'info', destination: process.stderr });
      log.info({ userId }, 'the sessions of a user were ended');
      await write(`The sessions of ${name} (${userId}) end within five seconds. API keys stay valid.\n`);
    };
  },
};
