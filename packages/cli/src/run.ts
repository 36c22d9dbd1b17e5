import { readArguments } from './arguments/read-arguments.ts';
import { answer } from './commands/answer.ts';
import { approve } from './commands/approve.ts';
import { ask } from './commands/ask.ts';
import { close } from './commands/close.ts';
import { completionOf } from './commands/completion.ts';
import { doctor } from './commands/doctor.ts';
import { hook, isHookRun } from './commands/hook.ts';
import { keys } from './commands/keys.ts';
import { listen } from './commands/listen.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { mcp } from './commands/mcp.ts';
import { open } from './commands/open.ts';
import { pickUp } from './commands/pick-up.ts';
import { receipt } from './commands/receipt.ts';
import { show } from './commands/show.ts';
import { verify } from './commands/verify.ts';
import { webhooks } from './commands/webhooks.ts';
import { whoami } from './commands/whoami.ts';
import { type Config, type ProfileName, version } from './config.ts';
import type { Context } from './context.ts';
import { exitCodes, type Outcome } from './exit-codes.ts';
import { explainError } from './explain-error.ts';
import { isClosedPipe } from './failure.ts';
import { findCommand, showHelp } from './help.ts';
import { checkAddress } from './relay/check-address.ts';
import { withProfile } from './relay/with-profile.ts';
import type { Look, Screen } from './terminal/screen.ts';

/** Everything that a command gets from the process. */
export interface Surroundings extends Omit<Context, 'config' | 'out' | 'err'> {
  readConfig(): Config;
  screens(look: Look): { out: Screen; err: Screen };
}

/** Runs a command line. Errors are printed as a sentence, and with `--json` also as one line for scripts. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  const { readConfig, screens, ...rest } = surroundings;
  let profile: ProfileName | undefined;
  const contextWith = (config: Config): Context => {
    profile = config.hasOtherProfile ? config.profile : undefined;
    return { ...rest, config, ...screens({ colours: config.colours, profile }) };
  };
  try {
    const context = contextWith(readConfig());
    const outcome = await runCommand(args, context, contextWith);
    const isWritten = await context.out.written();
    // A result that could not be written is not done. One that nothing reads is.
    if (outcome === 'done' && !isWritten && !isClosedPipe(context.signal.reason)) throw context.signal.reason;
    return outcome;
  } catch (error) {
    const { outcome, code, reason, message, hint, details } = explainError(error, surroundings.signal);
    const { out, err } = screens({ colours: false, profile });
    if (message !== '') err.failure(message);
    if (hint !== undefined && args[0] !== 'doctor') err.paragraph(hint);
    const { code: exit } = exitCodes[outcome];
    if (args.includes('--json'))
      out.line(
        JSON.stringify({ outcome, exit, ...details, error: { code, reason, message: out.typed(message) } }),
      );
    return isHookRun(args) ? 'done' : outcome;
  }
}

async function runCommand(
  args: readonly string[],
  started: Context,
  contextWith: (config: Config) => Context,
): Promise<Outcome> {
  const [name = 'help', ...rest] = args;
  if (name === '--version') {
    started.out.line(version);
    return 'done';
  }
  const asksForHelp = ['help', '--help', '-h'].includes(name);
  // `relay ask --help` too, but not `relay ask -- --help`.
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
  if (asksForHelp || rest.slice(0, end).some((word) => word === '--help' || word === '-h')) {
    showHelp(started.out, commands, asksForHelp ? rest[0] : name);
    return 'done';
  }
  const command = findCommand(commands, name);
  const given = readArguments(command, rest);
  const { profile: wanted } = given.options;
  const named = typeof wanted === 'string' ? wanted : undefined;
  const context = contextWith(await withProfile(started.config, command.profiles ?? [], named));
  if (!command.startsWithWrongSettings) {
    if (context.config.wrong) throw context.config.wrong;
    if (context.config.apiKey) await checkAddress(context);
  }
  return await command.run(context, given).catch((error: unknown) => {
    const failure = explainError(error, context.signal);
    if (command.endsWithReader && isClosedPipe(failure)) return 'done';
    throw failure;
  });
}

const completed = [
  approve,
  ask,
  listen,
  pickUp,
  answer,
  show,
  open,
  close,
  receipt,
  verify,
  mcp,
  hook,
  keys,
  webhooks,
  login,
  logout,
  whoami,
  doctor,
];

/** In the order of `relay help`. */
export const commands = [...completed, completionOf(completed)];
