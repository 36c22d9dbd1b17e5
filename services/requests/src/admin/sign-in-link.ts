import { StartupError } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { createSignInLink } from '../users/sign-in-link.ts';
import { type Command, findUser, parseOptions, userOptions } from './command.ts';

const maxMinutes = 24 * 60;

const usage = `Prints a link that signs a user in once, for installations without a sign-in provider.

  node services/requests/dist/admin.js sign-in-link --user USER_ID [options]
  node services/requests/dist/admin.js sign-in-link --identity PROVIDER:SUBJECT [options]

  --minutes N  how long the link is valid, up to ${maxMinutes}; default 15
  --json       prints JSON: {"linkId", "userId", "url", "expiresAt"}

The link signs in as that user, so send it in private. RELAY_ALLOWED_USERS does not apply to it.
It reads DATABASE_URL and RELAY_PUBLIC_URL, and writes an audit line without the link to standard error.
`;

const options = {
  ...userOptions,
  minutes: { type: 'string', default: '15' },
  json: { type: 'boolean', default: false },
} as const;

export const signInLinkCommand: Command = {
  usage,
  read(args) {
    const { minutes: text, json, ...name } = parseOptions(args, options, usage);
    const minutes = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (minutes < 1 || minutes > maxMinutes) {
      throw new StartupError(`--minutes must be a whole number from 1 to ${maxMinutes}.`);
    }
    const find = findUser(name, usage);
    return async (prisma, write, { publicUrl }) => {
      const { id: userId } = await find(prisma);
      const { linkId, url, expiresAt } = await createSignInLink(prisma, { userId, minutes, publicUrl });
      const log = createLog('admin', { level: 'info', destination: process.stderr });
      log.info({ userId, linkId, expiresAt }, 'a sign-in link was made');
      await write(json ? `${JSON.stringify({ linkId, userId, url, expiresAt })}\n` : `${url}\n`);
    };
  },
};
