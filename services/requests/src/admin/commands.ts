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

const find = (name = '') => (Object.hasOwn(commands, name) ? commands[name] : undefined);
const usageOf = (command: Command | undefined) =>
  (command ? [command] : Object.values(commands)).map(({ usage }) => usage).join('\n');

/** The text that the arguments ask for. */
export const helpOf = (args: readonly string[]): string | undefined =>
  args.includes('--help') ? usageOf(find(args[0])) : undefined;

/** The command that the arguments name. */
export function readCommand([name, ...args]: readonly string[]): ReturnType<Command['read']> {
  const command = find(name);
  if (command) return command.read(args);
  const mistake = name === undefined ? 'Name a command.' : `There is no command ${name}.`;
  throw new StartupError(`${mistake}\n\n${usageOf(undefined)}`);
}
