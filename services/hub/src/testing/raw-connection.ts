import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A connection over which a test sends any bytes, valid HTTP or not. */
export interface RawConnection extends Disposable {
  readonly socket: Socket;
  readonly received: string;
  /** The statuses of the answers so far. */
  readonly statuses: readonly number[];
  send(text: string): void;
  until(what: string, check: () => unknown, timeoutMs?: number): Promise<void>;
}

export async function openRaw(url: string, localAddress = '127.0.0.1'): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return {
    socket,
    get received() {
      return received;
    },
    get statuses() {
      return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    },
    send: (text) => void socket.write(text, 'latin1'),
    async until(what, check, timeoutMs = 60_000) {
      const end = performance.now() + timeoutMs;
      while (!check()) {
        if (performance.now() > end)
          throw new Error(`Waited ${timeoutMs} ms for ${what}. Received: ${received}`);
        await pause(5);
      }
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
