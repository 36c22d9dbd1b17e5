import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, reservePort } from '@expert-relay/testkit';

/** A NATS server that a test may kill, freeze, and restore to an earlier state. The shared server must not be changed. */
export interface OwnNats extends AsyncDisposable {
  readonly url: string;
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Copies its files. Only while it is stopped. */
  backUp(): Promise<void>;
  /** Replaces its files with the copy. Only while it is stopped. */
  restore(): Promise<void>;
}

export async function startNats(): Promise<OwnNats> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-nats-'));
  const [store, backup] = [join(folder, 'store'), join(folder, 'backup')];
  const port = await reservePort();
  let server: ChildProcess | undefined;

  const nats: OwnNats = {
    url: `nats://127.0.0.1:${port}`,
    async start() {
      const args = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', store];
      server = spawn(findProgram(), args, { stdio: 'ignore' });
      await eventually(`nats-server listens on port ${port}`, () => isListening(port));
    },
    async stop(signal = 'SIGTERM') {
      if (!server) return;
      const exited = new Promise((resolve) => server?.once('exit', resolve));
      server.kill(signal);
      await exited;
      server = undefined;
    },
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    backUp: () => cp(store, backup, { recursive: true }),
    async restore() {
      await rm(store, { recursive: true });
      await cp(backup, store, { recursive: true });
    },
    async [Symbol.asyncDispose]() {
      await nats.stop('SIGKILL');
      await rm(folder, { recursive: true });
    },
  };
  await nats.start();
  return nats;
}

/** Debian installs it in a folder that is only in root's PATH. */
function findProgram(): string {
  return (
    ['/usr/sbin/nats-server', '/usr/local/sbin/nats-server'].find((path) => existsSync(path)) ?? 'nats-server'
  );
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isReady = new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
  });
  return isReady.finally(() => socket.destroy());
}
