import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { reservePort } from './reserve-port.ts';

/** Where a server runs: its port, the folder of its data, and one for other files such as its configuration. */
export interface ServerPlace {
  readonly port: number;
  readonly data: string;
  readonly folder: string;
}

/** How a server is started. */
export interface ServerLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly cwd?: string | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** Runs before each start. */
  readonly prepare?: (() => Promise<void>) | undefined;
  isReady(): Promise<boolean>;
}

/** A server that a test may kill, freeze and restore, unlike the shared ones. */
export interface OwnServer extends AsyncDisposable {
  /** Starts it again, over what it had written. */
  start(): Promise<void>;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Lets it write everything out and end. */
  shutDown(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Saves a copy of its data. */
  save(): Promise<void>;
  /** Restores the copy, as after a crash that lost everything later. Only while the server does not run. */
  restore(): Promise<void>;
  /** Ends it, and removes its files. */
  stop(): Promise<void>;
}

/** The input of this shell ends with our process, also by `kill -9`: then it removes what is left. */
const cleanUp = 'read -r line || { kill -9 "$1"; rm -rf "$2"; }';

/** Starts a server over a new folder, on a free port. */
export async function launchOwnServer(
  name: string,
  launchAt: (place: ServerPlace) => ServerLaunch,
): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), `expert-relay-${name}-`));
  const at = (part: string) => join(folder, part);
  mkdirSync(at('data'));
  const launch = launchAt({ folder, data: at('data'), port: await reservePort() });
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    await launch.prepare?.();
    const { command, args, env, cwd = '/', uid, gid } = launch;
    const log = openSync(at('log'), 'a');
    child = spawn(command, args, {
      env: { ...process.env, ...env },
      cwd,
      ...(uid !== undefined && gid !== undefined && { uid, gid }),
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    let failure: string | undefined;
    child.once('error', ({ message }) => {
      failure = message;
    });
    child.once('exit', (code, signal) => {
      failure = `${signal ?? `exit code ${code}`}\n${readFileSync(at('log'), 'utf8').slice(-2_000)}`;
    });
    watch(child, folder);
    const isReady = async () => {
      if (failure !== undefined) throw new Error(`${command} did not start: ${failure}`);
      return await launch.isReady();
    };
    await eventually(`${name} answers`, isReady, { timeoutMs: 120_000 });
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async function stop(): Promise<void> {
    await end('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }

  const server: OwnServer = {
    start,
    kill: () => end('SIGKILL'),
    shutDown: () => end('SIGTERM'),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async save() {
      server.freeze();
      rmSync(at('saved'), { recursive: true, force: true });
      cpSync(at('data'), at('saved'), { recursive: true });
      server.thaw();
    },
    async restore() {
      rmSync(at('data'), { recursive: true });
      cpSync(at('saved'), at('data'), { recursive: true });
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
  await start().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return server;
}

function watch(child: ChildProcess, folder: string): void {
  if (child.pid === undefined) return;
  // Detached: a signal to our process group does not reach it.
  const shell = spawn('sh', ['-c', cleanUp, 'watchdog', String(child.pid), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  for (const emitter of [shell, shell.stdin]) emitter.on('error', () => undefined);
  shell.unref();
  child.once('exit', () => shell.stdin.end('done\n'));
}
