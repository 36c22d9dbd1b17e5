import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@expert-relay/testkit';
import { buildCli } from './build-cli.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface Run {
  readonly ended: Promise<Ended>;
  /** Waits until it has said something, on either stream; gives the match. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  type(text: string): void;
  kill(signal: NodeJS.Signals): void;
}

export interface RunOptions {
  env?: Readonly<Record<string, string>>;
  /** What is piped in; without it, stdin is empty. */
  input?: string;
  folder?: string;
  /** As `| true` would. */
  closesStdout?: boolean;
  /** In a terminal of this many columns. */
  columns?: number;
}

// Of util-linux, which every Debian has.
const pseudoTerminal = 'script';

/** The real command line in processes of its own, with folders of its own. */
export interface Stage {
  readonly folder: string;
  start(args: readonly string[], options?: RunOptions): Run;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Kills what still runs. */
  stop(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const path = await buildCli();
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
      said: (pattern) =>
        eventually(`relay ${args.join(' ')} says ${pattern}, not ${stdout}${stderr}`, () =>
          pattern.exec(stdout + stderr),
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
