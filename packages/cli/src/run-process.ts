import { readConfig } from './config.ts';
import { exitCodes } from './exit-codes.ts';
import { run } from './run.ts';
import { watchStopSignals } from './stop-signals.ts';
import { createInput } from './terminal/input.ts';
import { closedPipe, createScreen } from './terminal/screen.ts';
import { programName } from './terminal/typed-commands.ts';

/** One command in this process, from what was typed to the exit code. */
export async function runProcess(): Promise<void> {
  const { signal, stop, release } = watchStopSignals();
  // A command may wait for nothing but a timer that lets the process end: it ends when the command says so.
  const alive = setInterval(() => {}, 2 ** 30);
  const { stdin, stdout, stderr } = process;
  const program = programName(process.argv[1] ?? '', process.cwd());
  // `relay listen | head -1`: a reader that has read enough ends the command, and is no error.
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
