import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '@expert-relay/testkit';

/** A shell that runs the blocks of a page one after the other. */
export interface Terminal {
  /** Runs a block to its end, and returns its output. */
  run(block: string): Promise<string>;
  /** Starts a block, waits until its output matches a pattern, and returns the match. */
  runUntil(block: string, pattern: RegExp): Promise<RegExpExecArray>;
  /** Waits until the output of the current block matches a pattern, and returns the match. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Waits until the current block has ended, and returns its output. */
  ended(): Promise<string>;
  /** Sends Ctrl-C, and returns the output of the current block. */
  interrupt(): Promise<string>;
  close(): Promise<void>;
}

const timeLimit = { timeoutMs: 120_000 };

// Blocks arrive through a separate pipe, so that no program reads them from stdin. The shell ignores Ctrl-C, and prints
// each command that fails.
const shellProgram = `
  trap : INT
  trap 'echo "[failed: $BASH_COMMAND]"' ERR
  while IFS= read -r -d '' block <&3; do eval "$block"; done
`;

export function openTerminal(folder: string, env: Readonly<Record<string, string>>): Terminal {
  const { PATH = '' } = process.env;
  const shell = spawn('bash', ['--noprofile', '--norc', '-c', shellProgram], {
    cwd: folder,
    env: { PATH, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const closed = once(shell, 'close');
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const commands = shell.stdio[3] as NodeJS.WritableStream;
  let blockCount = 0;
  let blockStart = 0;

  function startBlock(block: string): void {
    blockStart = printed.length;
    blockCount += 1;
    commands.write(`${block}\necho "[block ${blockCount} ended]"\n\0`);
  }

  async function ended(): Promise<string> {
    const endMark = `[block ${blockCount} ended]\n`;
    await eventually(
      `the block has ended; it printed ${JSON.stringify(printed.slice(blockStart))}`,
      () => printed.includes(endMark),
      timeLimit,
    );
    return printed.slice(blockStart, printed.indexOf(endMark));
  }

  const until = (pattern: RegExp) =>
    eventually(`the output matches ${pattern}`, () => pattern.exec(printed.slice(blockStart)), timeLimit);

  return {
    async run(block) {
      startBlock(block);
      return await ended();
    },
    async runUntil(block, pattern) {
      startBlock(block);
      return await until(pattern);
    },
    until,
    ended,
    async interrupt() {
      process.kill(-(shell.pid ?? 0), 'SIGINT');
      return await ended();
    },
    async close() {
      if (shell.exitCode === null && shell.signalCode === null) process.kill(-(shell.pid ?? 0), 'SIGKILL');
      await closed;
    },
  };
}
