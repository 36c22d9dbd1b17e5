import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { clockAhead, eventually } from '@expert-relay/testkit';
import { type BundleOptions, buildCli } from './build-cli.ts';
import type { Ended } from './command-server.ts';
import { type CommandServer, startCommandServer } from './start-command-server.ts';

/** A running command. */
export interface Run {
  readonly ended: Promise<Ended>;
  /** Waits until its output on either stream matches, and returns the match. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  type(text: string): void;
  kill(signal: NodeJS.Signals): void;
}

export interface RunOptions {
  env?: Readonly<Record<string, string>>;
  /** The content of stdin. Without it, stdin is empty. */
  input?: string;
  folder?: string;
  /** For the command, what others did just now was that long ago. */
  clockAheadMs?: number;
  /** `closed`: like a pipe to `true`. `full`: like a file on a full disk. */
  stdout?: 'closed' | 'full';
  stderr?: 'full';
  /** Runs in a terminal of this width. */
  columns?: number;
}

// Part of util-linux, which every Debian has.
const pseudoTerminal = 'script';

/** Runs the command line, as it is bundled, in one temporary folder. */
export interface CommandRunner {
  readonly folder: string;
  /** Starts a process. */
  start(args: readonly string[], options?: RunOptions): Run;
  /** Runs a command to its end, in a process that many commands share, unless it needs one of its own. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Kills all commands that still run. */
  stop(): Promise<void>;
}

export async function createCommandRunner(bundle?: BundleOptions): Promise<CommandRunner> {
  const path = await buildCli(bundle);
  const folder = mkdtempSync(join(tmpdir(), 'relay-cli-'));
  const runs = new Set<{ child: ChildProcess; ended: Promise<Ended> }>();
  let server: CommandServer | undefined;

  function start(args: readonly string[], options: RunOptions = {}): Run {
    const child = open(path, args, { folder, ...options });
    let [stdout, stderr] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', reject).once('close', (code) => resolve({ code, stdout, stderr }));
    });
    const run = { child, ended };
    runs.add(run);
    ended.finally(() => runs.delete(run)).catch(() => {});
    return {
      ended,
      printed: (pattern) =>
        eventually(
          () => `relay ${args.join(' ')} to print ${pattern}; it has printed ${stdout}${stderr}`,
          () => pattern.exec(stdout + stderr),
        ),
      type: (text) => child.stdin?.write(text),
      kill: (signal) => void child.kill(signal),
    };
  }

  async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    if (needsProcess(args, options)) return await start(args, options).ended;
    const { env = {}, input = '', clockAheadMs = 0 } = options;
    server ??= startCommandServer(path, folder);
    return await server.run({ args, env, input, clockAheadMs });
  }

  return {
    folder,
    start,
    run,
    async stop() {
      await server?.stop();
      for (const { child } of runs) child.kill('SIGKILL');
      await Promise.all([...runs].map(({ ended }) => ended));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** These use the process itself: its streams, and the path of its program. */
const commandsOfProcess = ['hook', 'mcp'];

/**
 * A command has a process of its own for what only that has: other variables than those of the relay, a home folder, a
 * terminal, a pipe that closes.
 */
function needsProcess(args: readonly string[], options: RunOptions): boolean {
  const { env = {}, folder, columns, stdout, stderr } = options;
  const isPlain = Object.keys(env).every((name) => name.startsWith('RELAY_') || name === 'NO_COLOR');
  const hasFolder = isAbsolute(env.RELAY_CONFIG_DIR ?? '');
  const isOfProcess = commandsOfProcess.includes(args[0] ?? '');
  return isOfProcess || !isPlain || !hasFolder || [folder, columns, stdout, stderr].some((option) => option);
}

function open(
  path: string,
  args: readonly string[],
  { env = {}, input, folder, clockAheadMs, columns, stdout, stderr }: RunOptions,
): ChildProcess {
  const settings = {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TERM: 'xterm-256color',
      ...(clockAheadMs !== undefined && clockAhead(clockAheadMs)),
      ...env,
    },
  };
  if (columns !== undefined) {
    const command = [process.execPath, path, ...args]
      .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
      .join(' ');
    return spawn(pseudoTerminal, ['-qec', `stty cols ${columns}; ${command}`, '/dev/null'], settings);
  }
  const full = openSync('/dev/full', 'w');
  const outputs = [stdout, stderr].map((output) => (output === 'full' ? full : 'pipe'));
  const child = spawn(process.execPath, [path, ...args], {
    ...settings,
    stdio: [input === undefined ? 'ignore' : 'pipe', ...outputs],
  });
  closeSync(full);
  child.stdin?.end(input);
  if (stdout === 'closed') child.stdout?.destroy();
  return child;
}
