import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '@expert-relay/testkit';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface RunningExample {
  /** Waits until stderr or stdout matches a pattern, and returns the match. */
  untilPrinted(pattern: RegExp): Promise<RegExpExecArray>;
  /** Its stdout so far. */
  stdout(): string;
  /** Waits for its end. `printed` is its stdout, or its stderr if it failed. */
  ended(): Promise<{ code: number | null; printed: string }>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Runs an example in its own process, with the packages that `npm test` has built: without a compiler it starts in half of the time. */
export function runExample(
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  cwd = root,
): RunningExample {
  const { PATH = '' } = process.env;
  const example = spawn(command, args, {
    cwd,
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 240_000,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  example.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  example.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(example, 'close') as Promise<[number | null]>;

  return {
    async untilPrinted(pattern) {
      const what = `${args.join(' ')} prints ${pattern}`;
      const match = () => pattern.exec(stderr) ?? pattern.exec(stdout);
      const ended = closed.then(() => {
        if (!match()) throw new Error(`It ended before ${what}. Its stderr: ${stderr}`);
      });
      const found = eventually(what, match);
      await Promise.race([found, ended]);
      return await found;
    },
    stdout: () => stdout,
    async ended() {
      const [code] = await closed;
      return { code, printed: code === 0 ? stdout : stderr };
    },
    async stop(signal = 'SIGINT') {
      example.kill(signal);
      await closed;
    },
  };
}
