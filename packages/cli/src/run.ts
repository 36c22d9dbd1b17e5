import { readArguments } from './arguments/read-arguments.ts';
import { answer } from './commands/answer.ts';
import { approve } from './commands/approve.ts';
import { ask } from './commands/ask.ts';
import { close } from './commands/close.ts';
import { doctor } from './commands/doctor.ts';
import { hook, isHookRun } from './commands/hook.ts';
import { keys } from './commands/keys.ts';
import { listen } from './commands/listen.ts';
import { mcp } from './commands/mcp.ts';
import { pickUp } from './commands/pick-up.ts';
import { show } from './commands/show.ts';
import { webhooks } from './commands/webhooks.ts';
import { whoami } from './commands/whoami.ts';
import { type Config, version } from './config.ts';
import type { Context } from './context.ts';
import { exitCodes, type Outcome } from './exit-codes.ts';
import { explainError } from './explain-error.ts';
import { isClosedPipe } from './failure.ts';
import { findCommand, showHelp } from './help.ts';
import { checkAddress } from './relay/check-address.ts';
import type { Screen } from './terminal/screen.ts';

/** Everything that a command gets from the process. */
export interface Surroundings extends Omit<Context, 'config' | 'out' | 'err'> {
  readConfig(): Config;
  screens(colours: boolean): { out: Screen; err: Screen };
}

/** Runs a command line. Errors are printed as a sentence, and with `--json` also as one line for scripts. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  const { readConfig, screens, ...rest } = surroundings;
  try {
    const config = readConfig();
    const context = { ...rest, config, ...screens(config.colours) };
    const outcome = await runCommand(args, context);
    const isWritten = await context.out.written();
    // A result that could not be written is not done. One that nothing reads is.
    if (outcome === 'done' && !isWritten && !isClosedPipe(context.signal.reason)) throw context.signal.reason;
    return outcome;
  } catch (error) {
    const { outcome, code, reason, message, hint, details } = explainError(error, surroundings.signal);
    const { out, err } = screens(false);
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

async function runCommand(args: readonly string[], context: Context): Promise<Outcome> {
  const [name = 'help', ...rest] = args;
  if (name === '--version') {
    context.out.line(version);
    return 'done';
  }
  const asksForHelp = ['help', '--help', '-h'].includes(name);
  // `relay ask --help` too, but not `relay ask -- --help`.
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
  if (asksForHelp || rest.slice(0, end).some((word) => word === '--help' || word === '-h')) {
    showHelp(context.out, commands, asksForHelp ? rest[0] : name);
    return 'done';
  }
  const command = findCommand(commands, name);
  const given = readArguments(command, rest);
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

/** In the order of `relay help`. */
export const commands = [
  approve,
  ask,
  listen,
  pickUp,
  answer,
  show,
  close,
  mcp,
  hook,
  keys,
  webhooks,
  whoami,
  doctor,
];
