import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { reservePort } from '@expert-relay/testkit';

/** A NATS server for one test, which can be killed, frozen and restored. */
export interface NatsProcess extends AsyncDisposable {
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Saves a copy of the data. */
  save(): Promise<void>;
  /** Restores the copy, as after a crash that lost everything later. Only while the server is killed. */
  restore(): Promise<void>;
}

export async function startNatsProcess(): Promise<NatsProcess> {
  const home = await mkdtemp(join(tmpdir(), 'relay-hub-nats-'));
  const data = join(home, 'data');
  const saved = join(home, 'saved');
  const port = await reservePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', data], {
      stdio: 'ignore',
    });
    for (let tries = 0; tries < 1_200; tries++) {
      if (await accepts(port)) return;
      await pause(50);
    }
    throw new Error('nats-server did not start within 60 s.');
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    start,
    kill,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    async save() {
      child?.kill('SIGSTOP');
      await rm(saved, { recursive: true, force: true });
      await cp(data, saved, { recursive: true });
      child?.kill('SIGCONT');
    },
    async restore() {
      await rm(data, { recursive: true, force: true });
      await cp(saved, data, { recursive: true });
    },
    async [Symbol.asyncDispose]() {
      child?.kill('SIGCONT');
      await kill();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Whether a server sends something to a new connection at this port. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
