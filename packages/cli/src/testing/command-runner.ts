import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@expert-relay/testkit';
import { type BundleOptions, buildCli } from './build-cli.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

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
  /** Like a pipe to `true`. */
  closesStdout?: boolean;
  /** Runs in a terminal of this width. */
  columns?: number;
}

// Part of util-linux, which every Debian has.
const pseudoTerminal = 'script';

/** Runs the real command line: each command in a process, all in one temporary folder. */
export interface CommandRunner {
  readonly folder: string;
  start(args: readonly string[], options?: RunOptions): Run;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Kills all commands that still run. */
  stop(): Promise<void>;
}

export async function createCommandRunner(bundle?: BundleOptions): Promise<CommandRunner> {
  const path = await buildCli(bundle);
  const folder = mkdtempSync(join(tmpdir(), 'relay-cli-'));
  const runs = new Set<{ child: ChildProcess; ended: Promise<Ended> }>();

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
  return {
    folder,
    start,
    run: (args, options) => start(args, options).ended,
    async stop() {
      for (const { child } of runs) child.kill('SIGKILL');
      await Promise.all([...runs].map(({ ended }) => ended));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function open(
  path: string,
  args: readonly string[],
  { env = {}, input, folder, columns, closesStdout }: RunOptions,
): ChildProcess {
  const settings = {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TERM: 'xterm-256color', ...env },
  };
  if (columns !== undefined) {
    const command = [process.execPath, path, ...args]
      .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
      .join(' ');
    return spawn(pseudoTerminal, ['-qec', `stty cols ${columns}; ${command}`, '/dev/null'], settings);
  }
  const child = spawn(process.execPath, [path, ...args], {
    ...settings,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  if (closesStdout) child.stdout?.destroy();
  return child;
}
