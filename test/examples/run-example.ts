import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '@expert-relay/testkit';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface RunningExample {
  /** Waits for what it says to people, and gives what the pattern caught. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** All that it has printed on stdout so far. */
  result(): string;
  /** Waits for its end; `printed` is its result, or why there is none. */
  ended(): Promise<{ code: number | null; printed: string }>;
  stop(): Promise<void>;
}

/** Runs an example as its head says, as a process of its own, though with the SDK's sources. */
export function runExample(
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  cwd = root,
): RunningExample {
  const { PATH = '' } = process.env;
  const example = spawn(command, args, {
    cwd,
    env: { PATH, NODE_OPTIONS: '--conditions=relay-source --import=tsx', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  let result = '';
  let said = '';
  example.stdout.setEncoding('utf8').on('data', (text: string) => {
    result += text;
  });
  example.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const closed = once(example, 'close') as Promise<[number | null]>;

  return {
    async says(pattern) {
      const what = `${args.join(' ')} to say ${pattern}`;
      const ended = closed.then(() => {
        if (!pattern.test(said)) throw new Error(`Waited in vain for ${what}. It said: ${said}`);
      });
      const found = eventually(what, () => pattern.exec(said));
      await Promise.race([found, ended]);
      return await found;
    },
    result: () => result,
    async ended() {
      const [code] = await closed;
      return { code, printed: code === 0 ? result : said };
    },
    async stop() {
      example.kill('SIGINT');
      await closed;
    },
  };
}
