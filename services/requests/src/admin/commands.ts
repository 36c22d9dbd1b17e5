import { StartupError } from '@expert-relay/kit/lifecycle';
import type { Command } from './command.ts';
import { createUserCommand } from './create-user-command.ts';
import { eraseUserCommand } from './erase-user-command.ts';
import { exportUserCommand } from './export-user-command.ts';
import { signInLinkCommand } from './sign-in-link-command.ts';

const commands: Readonly<Record<string, Command>> = {
  'create-user': createUserCommand,
  'sign-in-link': signInLinkCommand,
  'export-user': exportUserCommand,
  'erase-user': eraseUserCommand,
};

/** What a command line asks for. */
export function readCommand([name = '', ...args]: readonly string[]): ReturnType<Command['read']> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command.read(args);
  throw new StartupError(
    Object.values(commands)
      .map(({ usage }) => usage)
      .join('\n'),
  );
}
