import type { Command } from './command.ts';
import { exportUser } from './export/export-user.ts';
import { findUser, userOptions } from './find-user.ts';
import { parseOptions } from './parse-options.ts';

const usage = `Prints everything that is stored about a user, as JSON lines.

  node services/requests/dist/admin.js export-user --user USER_ID > user.jsonl
  node services/requests/dist/admin.js export-user --identity PROVIDER:SUBJECT > user.jsonl

Each line has a "type": user, identity, sign_in_link, key, vault, request, message, and end as the last one: without it
the export was cut off. Secrets of keys are not stored, encrypted messages come as they are.
It reads DATABASE_URL.
`;

export const exportUserCommand: Command = {
  usage,
  read(args) {
    const find = findUser(parseOptions(args, userOptions, usage), usage);
    return async (prisma, write) => {
      for await (const record of exportUser(prisma, await find(prisma))) {
        await write(`${JSON.stringify(record)}\n`);
      }
    };
  },
};
