import { createLog } from '@expert-relay/kit/log';
import { revocationParts } from '../revocation-parts.ts';
import { type Command, findUser, parseOptions, userOptions } from './command.ts';

const usage = `Signs a user out everywhere, for example after a device was lost.

  node services/requests/dist/admin.js end-sessions --user USER_ID
  node services/requests/dist/admin.js end-sessions --identity PROVIDER:SUBJECT

From then on, no session of the user can be used, and none that begins in the 30 seconds after it; their streams end within five
seconds. Their browsers are not notified any more. Sign-in links that were not used yet no longer work. API keys stay valid: revoke
them too.
It reads DATABASE_URL, and writes an audit line to standard error.
`;

export const endSessionsCommand: Command = {
  usage,
  read(args) {
    const find = findUser(parseOptions(args, userOptions, usage), usage);
    return async (prisma, write) => {
      const { id: userId, name } = await find(prisma);
      await prisma.$transaction([
        // By the database's clock, which all processes share. A registration of a browser locks the user: the next statement sees
        // one that was made before, and a later one is refused.
        prisma.$executeRaw`UPDATE users SET sessions_ended_at = clock_timestamp() WHERE id = ${userId}::uuid`,
        prisma.$executeRaw`
          WITH links AS (
            UPDATE sign_in_links SET used_at = clock_timestamp() WHERE user_id = ${userId}::uuid AND used_at IS NULL
          ),
          subscriptions AS (
            DELETE FROM notification_endpoints WHERE id IN (
              SELECT id FROM notification_endpoints WHERE user_id = ${userId}::uuid AND channel = 'push'
              ORDER BY id FOR UPDATE)
          ),
          ${revocationParts({ allSessions: true }, userId)}
          SELECT 1`,
      ]);
      const log = createLog('admin', { level: 'info', destination: process.stderr });
      log.info({ userId }, 'the sessions of a user were ended');
      await write(`The sessions of ${name} (${userId}) are over. API keys stay valid.\n`);
    };
  },
};
