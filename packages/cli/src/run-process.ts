import { setMaxListeners } from 'node:events';
import { readConfig } from './config.ts';
import { exitCodes, type Outcome } from './exit-codes.ts';
import { closedPipe, Failure } from './failure.ts';
import { run } from './run.ts';
import { createInput } from './terminal/input.ts';
import { createScreen } from './terminal/screen.ts';
import { programName } from './terminal/typed-commands.ts';

/** Runs one command in this process, from its arguments to the exit code. */
export async function runProcess(): Promise<void> {
  const { signal, stop, release } = watchStopSignals();
  // A command may wait only for timers that do not keep the process alive.
  const alive = setInterval(() => {}, 2 ** 30);
  const { stdin, stdout, stderr } = process;
  const folder = currentFolder();
  const program = programName(process.argv[1] ?? '', folder);
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    const isClosed = code === 'EPIPE';
    if (!isClosed && !signal.aborted) stderr.write(`The output could not be written (${code}).\n`);
    stop(isClosed ? closedPipe() : new Failure('failed', '', { code: 'output_lost' }));
  });
  // Nothing can report it. The exit code still says how the command has ended.
  stderr.on('error', () => {});
  const outcome = await run(process.argv.slice(2), {
    readConfig,
    folder,
    input: createInput(stdin, stderr, signal),
    screens: (look) => ({
      out: createScreen(stdout, { ...look, program }),
      err: createScreen(stderr, { ...look, program }),
    }),
    signal,
    now: Date.now,
  });
  process.exitCode = exitCodes[outcome].code;
  clearInterval(alive);
  release();
}

/** A folder that was removed has no name. Then no file is found under a name without its folder. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/nonexistent';
  }
}

/** SIGHUP comes when a terminal or a connection of ssh is closed. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** The first of these signals asks the command to end; the second one kills the process as usual. */
function watchStopSignals(): { signal: AbortSignal; stop(why: Failure): void; release(): void } {
  const stopping = new AbortController();
  // Each open conversation adds a listener.
  setMaxListeners(0, stopping.signal);
  const onSignal = (name: NodeJS.Signals) => {
    release();
    const outcome: Outcome = name === 'SIGINT' ? 'interrupted' : 'terminated';
    stopping.abort(new Failure(outcome, ''));
  };
  const release = () => {
    for (const name of stopSignals) process.off(name, onSignal);
  };
  for (const name of stopSignals) process.on(name, onSignal);
  return { signal: stopping.signal, stop: (why) => stopping.abort(why), release };
}
