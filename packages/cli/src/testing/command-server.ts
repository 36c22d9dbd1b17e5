import { setMaxListeners } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { readConfig } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { run } from '../run.ts';
import { createInput } from '../terminal/input.ts';
import { createScreen } from '../terminal/screen.ts';
import { programName } from '../terminal/typed-commands.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command, with what it would get from the process that starts it. */
export interface ServedCommand {
  readonly id: number;
  readonly args: readonly string[];
  /** The path of the program. */
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly clockAheadMs: number;
}

export interface ServedResult {
  readonly id: number;
  readonly ended: Ended;
}

/* A program of the tests, bundled with the command line: runs each command that its parent sends, at the same time. */

process.once('disconnect', () => process.exit());
process.on('message', async (command: ServedCommand) => {
  const result: ServedResult = { id: command.id, ended: await serve(command) };
  process.send?.(result);
});

/** As `runProcess` does, with output that is collected. */
async function serve({ args, path, env, input, clockAheadMs }: ServedCommand): Promise<Ended> {
  const { signal } = new AbortController();
  // Each open conversation adds a listener.
  setMaxListeners(0, signal);
  const folder = process.cwd();
  const program = programName(path, folder);
  const [stdout, stderr] = [new Output(), new Output()];
  const outcome = await run(args, {
    readConfig: () => readConfig(env),
    folder,
    input: createInput(Readable.from([input]), stderr, signal),
    screens: (look) => ({
      out: createScreen(stdout, { ...look, program }),
      err: createScreen(stderr, { ...look, program }),
    }),
    signal,
    now: () => Date.now() + clockAheadMs,
  });
  return { code: exitCodes[outcome].code, stdout: stdout.text, stderr: stderr.text };
}

class Output extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(text: string, _encoding: BufferEncoding, done: () => void): void {
    this.text += text;
    done();
  }
}
