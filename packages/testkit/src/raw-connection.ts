import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from './eventually.ts';

/** A connection over which a test sends any bytes, valid HTTP or not. */
export interface RawConnection extends Disposable {
  readonly socket: Socket;
  /** All bytes so far, one character for each. */
  readonly received: string;
  /** The statuses of the responses so far. */
  readonly statuses: readonly number[];
  send(bytes: string | Buffer): void;
  /** Waits until a check returns a truthy value. The error contains all bytes that were received. */
  until(what: string, check: () => unknown, timeoutMs?: number): Promise<void>;
  /** Waits for this number of responses, or for the end, and returns all bytes that were received. */
  responses(count: number): Promise<string>;
  /** Whether the connection is closed within this time, which is a minute by default. */
  closed(timeoutMs?: number): Promise<boolean>;
}

export async function openRaw(url: string, localAddress?: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) });
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const connection: RawConnection = {
    socket,
    get received() {
      return received;
    },
    get statuses() {
      return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    },
    send: (bytes) => void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    async until(what, check, timeoutMs) {
      await eventually(() => `${what}. Received: ${received}`, check, { timeoutMs });
    },
    async responses(count) {
      const isDone = () => connection.statuses.length >= count || socket.destroyed;
      await connection.until(`${count} responses, or the end`, isDone);
      return received;
    },
    closed: (timeoutMs) =>
      connection
        .until('the end of the connection', () => socket.destroyed, timeoutMs)
        .then(
          () => true,
          () => false,
        ),
    [Symbol.dispose]: () => void socket.destroy(),
  };
  return connection;
}
