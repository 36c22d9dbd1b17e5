import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '@expert-relay/testkit';

/** A terminal in which a reader of a page types its blocks, one after the other. */
export interface Terminal {
  /** Runs a block to its end and returns what it prints. */
  run(block: string): Promise<string>;
  /** Runs a block that goes on, until it has printed what is waited for; returns what the pattern caught. */
  runUntil(block: string, pattern: RegExp): Promise<RegExpExecArray>;
  /** Waits until the block that runs has printed something more; returns what the pattern caught. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Waits until what runs there has ended. Returns what it has printed. */
  ended(): Promise<string>;
  /** Ctrl-C. */
  interrupt(): Promise<string>;
  close(): Promise<void>;
}

const limit = { within: 120_000 };

// Blocks come by a pipe of their own, so that no program takes them for its input. The shell survives a Ctrl-C, as one
// in a terminal does, and reports whatever fails within a block.
const reader = `
  trap : INT
  trap 'echo "[failed: $BASH_COMMAND]"' ERR
  while IFS= read -r -d '' block <&3; do eval "$block"; done
`;

export function openTerminal(folder: string, env: Readonly<Record<string, string>>): Terminal {
  const { PATH = '' } = process.env;
  const shell = spawn('bash', ['--noprofile', '--norc', '-c', reader], {
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
  let count = 0;
  let from = 0;

  function type(block: string): void {
    from = printed.length;
    count += 1;
    commands.write(`${block}\necho "[block ${count} ended]"\n\0`);
  }

  async function ended(): Promise<string> {
    const mark = `[block ${count} ended]\n`;
    await eventually(
      `the end of a block, after ${JSON.stringify(printed.slice(from))}`,
      () => printed.includes(mark),
      limit,
    );
    return printed.slice(from, printed.indexOf(mark));
  }

  const until = (pattern: RegExp) =>
    eventually(String(pattern), () => pattern.exec(printed.slice(from)), limit);

  return {
    async run(block) {
      type(block);
      return await ended();
    },
    async runUntil(block, pattern) {
      type(block);
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
