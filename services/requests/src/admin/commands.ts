import { StartupError } from '@expert-relay/kit/lifecycle';
import type { Command } from './command.ts';
import { createUserCommand } from './create-user.ts';
import { endSessionsCommand } from './end-sessions.ts';
import { eraseUserCommand } from './erase-user.ts';
import { exportUserCommand } from './export-user.ts';
import { signInLinkCommand } from './sign-in-link.ts';

const commands: Readonly<Record<string, Command>> = {
  'create-user': createUserCommand,
  'sign-in-link': signInLinkCommand,
  'end-sessions': endSessionsCommand,
  'export-user': exportUserCommand,
  'erase-user': eraseUserCommand,
};

/** The command that the arguments name. */
export function readCommand([name = '', ...args]: readonly string[]): ReturnType<Command['read']> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command && !args.includes('--help')) return command.read(args);
  const described = command ? [command] : Object.values(commands);
  throw new StartupError(described.map(({ usage }) => usage).join('\n'));
}
