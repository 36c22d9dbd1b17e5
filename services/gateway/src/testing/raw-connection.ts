import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '@expert-relay/testkit';

/** A connection over which a test sends any bytes, HTTP or not. */
export interface RawConnection {
  readonly socket: Socket;
  readonly received: string;
  send(bytes: string | Buffer): void;
  /** Waits for this number of answers, and returns all bytes that were received. */
  answers(count: number): Promise<string>;
  /** Whether the connection is closed within this time, which is a minute by default. */
  closed(timeoutMs?: number): Promise<boolean>;
}

export async function openRaw(url: string, localAddress?: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) });
  let received = '';
  socket.on('data', (piece) => {
    received += piece.toString('latin1');
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return {
    socket,
    get received() {
      return received;
    },
    send: (bytes) => void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    async answers(count) {
      const heads = () => received.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;
      await eventually(`${count} answers, or the end`, () => heads() >= count || socket.destroyed);
      return received;
    },
    closed: (timeoutMs) =>
      eventually('the end of the connection', () => socket.destroyed, { timeoutMs }).then(
        () => true,
        () => false,
      ),
  };
}
