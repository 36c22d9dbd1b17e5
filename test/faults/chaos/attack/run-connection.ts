import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection, Port, Step } from './connection.ts';

/** The status of the first response, or how the connection ended without one. */
export type Outcome = string;

const maxDurationMs = 45_000;

/** Runs the steps of a connection, and closes it. */
export async function runConnection(
  connection: Connection,
  ports: Readonly<Record<Port, number>>,
): Promise<Outcome> {
  const { from, to, steps } = connection;
  const socket = connect({ host: '127.0.0.1', port: ports[to], localAddress: from, allowHalfOpen: true });
  const ended = new AbortController();
  const over = new AbortController();
  let outcome: Outcome | undefined;
  const overdue = setTimeout(() => socket.destroy(), maxDurationMs);
  socket.on('data', (bytes) => {
    outcome ??= /^HTTP\/1\.[01] (\d{3})/.exec(bytes.toString('latin1', 0, 12))?.[1];
  });
  socket.on('end', () => ended.abort());
  socket.on('error', (error: NodeJS.ErrnoException) => {
    outcome ??= error.code ?? error.message;
  });
  socket.on('close', () => {
    ended.abort();
    over.abort();
  });
  try {
    for (const step of steps) {
      if (over.signal.aborted) break;
      await runStep(socket, step, { ended: ended.signal, over: over.signal });
    }
    return outcome ?? 'no response';
  } finally {
    clearTimeout(overdue);
    socket.destroy();
  }
}

interface Signals {
  /** The peer has ended its side. */
  readonly ended: AbortSignal;
  readonly over: AbortSignal;
}

async function runStep(socket: Socket, step: Step, { ended, over }: Signals): Promise<void> {
  const wait = (ms: number, signal = over) => pause(ms, undefined, { signal }).catch(() => {});
  switch (step.does) {
    case 'send':
      // Bytes that the peer does not read stay in the buffer until the connection ends.
      socket.write(step.bytes);
      return;
    case 'trickle':
      for (let at = 0; at < step.bytes.length && !over.aborted; at += step.size) {
        socket.write(step.bytes.subarray(at, at + step.size));
        await wait(step.everyMs);
      }
      return;
    case 'wait':
      return wait(step.ms);
    case 'wait for the end':
      return wait(step.withinMs, ended);
    case 'stop reading':
      socket.pause();
      return;
    case 'read slowly':
      readSlowly(socket, step);
      return;
    case 'half-close':
      socket.end();
      return;
    case 'reset':
      await connected(socket, over);
      socket.resetAndDestroy();
  }
}

function readSlowly(socket: Socket, { size, everyMs }: { size: number; everyMs: number }): void {
  socket.removeAllListeners('data');
  socket.pause();
  const timer = setInterval(() => socket.read(size) ?? socket.read(), everyMs);
  socket.on('close', () => clearInterval(timer));
}

/** A socket that is not connected yet cannot be reset. */
async function connected(socket: Socket, over: AbortSignal): Promise<void> {
  if (!socket.connecting) return;
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve);
    over.addEventListener('abort', () => resolve(), { once: true });
  });
}
