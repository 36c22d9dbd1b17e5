import { setMaxListeners } from 'node:events';
import { readConfig } from './config.ts';
import { exitCodes, type Outcome } from './exit-codes.ts';
import { Failure } from './failure.ts';
import { run } from './run.ts';
import { createInput } from './terminal/input.ts';
import { closedPipe, createScreen } from './terminal/screen.ts';
import { programName } from './terminal/typed-commands.ts';

/** Runs one command in this process, from its arguments to the exit code. */
export async function runProcess(): Promise<void> {
  const { signal, stop, release } = watchStopSignals();
  // A command may wait only for timers that do not keep the process alive.
  const alive = setInterval(() => {}, 2 ** 30);
  const { stdin, stdout, stderr } = process;
  const program = programName(process.argv[1] ?? '', process.cwd());
  // `relay listen | head -1`: a closed pipe ends the command and is not an error.
  stdout.on('error', (error) => {
    ignoreClosedPipe(error);
    stop(closedPipe());
  });
  stderr.on('error', ignoreClosedPipe);
  const outcome = await run(process.argv.slice(2), {
    readConfig,
    folder: process.cwd(),
    input: createInput(stdin, stderr, signal),
    screens: (colours) => ({
      out: createScreen(stdout, { colours, program }),
      err: createScreen(stderr, { colours, program }),
    }),
    signal,
    now: Date.now,
  });
  process.exitCode = exitCodes[outcome].code;
  clearInterval(alive);
  release();
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** The first Ctrl-C or SIGTERM asks the command to end; the second one kills the process as usual. */
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
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { signal: stopping.signal, stop: (why) => stopping.abort(why), release };
}
