import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Cable {
  /** The server's address, led through the cable. */
  readonly url: string;
  /** Ends all connections and refuses new ones, as a server that is gone does. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  stop(): Promise<void>;
}

/** A way to a real server that a test can cut, where the server itself must stay up for other tests. */
export async function createCable(serverUrl: string): Promise<Cable> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;

  function join(near: Socket): void {
    const far = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }

  async function mend(): Promise<void> {
    if (server) return;
    server = createServer(join);
    await new Promise<void>((resolve, reject) => {
      server?.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    port = (server.address() as AddressInfo).port;
  }

  async function cut(): Promise<void> {
    const closing = server;
    server = undefined;
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      if (closing) closing.close(() => resolve());
      else resolve();
    });
  }

  await mend();
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href.replace(/\/$/, ''), cut, mend, stop: cut };
}
