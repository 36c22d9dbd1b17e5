import { StartupError } from '@expert-relay/kit/lifecycle';
import type { Command } from './command.ts';
import { eraseUser } from './erase/erase-user.ts';
import { findUser, userOptions } from './find-user.ts';
import { parseOptions } from './parse-options.ts';

const usage = `Erases a user for good, with everything that is stored about them.

  node services/requests/dist/admin.js erase-user --user USER_ID --yes
  node services/requests/dist/admin.js erase-user --identity PROVIDER:SUBJECT --yes

  --yes   does it; without it, the command only prints what would be erased
  --json  prints JSON: {"userId", "keys", "ended", "requests", "messages"}

Keys are revoked and open conversations ended first, each with its event. Within five seconds of the end
the dashboard removes the user's sessions, and their streams end.
The command may be interrupted at any time: called again it continues. It reads DATABASE_URL.
`;

const options = {
  ...userOptions,
  yes: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

export const eraseUserCommand: Command = {
  usage,
  read(args) {
    const { yes, json, ...name } = parseOptions(args, options, usage);
    const find = findUser(name, usage);
    return async (prisma, write) => {
      const { id: userId, name: called } = await find(prisma);
      if (!yes) {
        const where = { userId };
        const [requests, keys] = [
          await prisma.helpRequest.count({ where }),
          await prisma.apiKey.count({ where }),
        ];
        throw new StartupError(
          `This would erase the user ${called} (${userId}) for good, with ${keys} keys and ${requests} requests. ` +
            'Nothing was done yet: add --yes to do it. An export is made by export-user.',
        );
      }
      const { keys, ended, requests, messages } = await eraseUser(prisma, userId);
      await write(
        json
          ? `${JSON.stringify({ userId, keys, ended, requests, messages })}\n`
          : `Erased the user ${called} (${userId}): revoked ${keys} keys, ended ${ended} open conversations, ` +
              `removed ${requests} requests with ${messages} messages.\n`,
      );
    };
  },
};
