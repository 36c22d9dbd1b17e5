import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy extends AsyncDisposable {
  /** The address at which the server is reached through the proxy. */
  readonly url: string;
  /** Closes all connections and refuses new ones, as when the server is down. No other program gets the port meanwhile. */
  cut(): Promise<void>;
  /** From now on no byte is passed on, and connections stay open, as when a network drops all packets. */
  hold(): void;
  /** Ends a cut or a hold. Bytes that were held are delivered late, as when TCP repeats lost packets. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

/** One connection: the client's socket, and the socket to the server, which may be connecting. */
interface Pair {
  readonly client: Socket;
  server: Socket | undefined;
}

/**
 * A TCP proxy to a real server. A test can cut it, while the server stays up for other tests. With several servers,
 * connections go to them in turn, and a server that refuses is skipped.
 */
export async function createTcpProxy(serverUrls: string | readonly string[]): Promise<TcpProxy> {
  const targets = [serverUrls].flat().map((url) => new URL(url));
  const pairs = new Set<Pair>();
  const { port, release: releasePort } = await keepPort();
  let listener: Server | undefined;
  let held = false;
  let connectionCount = 0;

  function accept(client: Socket): void {
    const pair: Pair = { client, server: undefined };
    pairs.add(pair);
    watch(client, pair);
    if (held) client.pause();
    else connectToServer(pair, targets.length);
  }

  function connectToServer(pair: Pair, triesLeft: number): void {
    const target = targets[connectionCount++ % targets.length] as URL;
    const server = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    pair.server = server;
    const refused = () => {
      if (triesLeft > 1 && !pair.client.destroyed) connectToServer(pair, triesLeft - 1);
      else destroy(pair);
    };
    server.once('error', refused);
    server.once('connect', () => {
      server.off('error', refused);
      watch(server, pair);
      if (pair.client.destroyed) server.destroy();
      else if (!held) pipeBothWays(pair);
    });
  }

  function watch(socket: Socket, pair: Pair): void {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      // While the proxy holds bytes, the other side does not learn that this one has closed.
      if (!held) finish(pair);
    });
  }

  /** A server that is still being connected to gets everything once it is connected. */
  function pipeBothWays({ client, server }: Pair): void {
    if (!server || server.connecting) return;
    client.pipe(server);
    server.pipe(client);
  }

  /** After one side has closed, the other one still receives what was sent before. */
  function finish(pair: Pair): void {
    const { client, server } = pair;
    client.destroySoon();
    server?.destroySoon();
    if (client.destroyed && server?.destroyed !== false) pairs.delete(pair);
  }

  function destroy(pair: Pair): void {
    pairs.delete(pair);
    pair.client.destroy();
    pair.server?.destroy();
  }

  function hold(): void {
    held = true;
    for (const { client, server } of pairs) for (const socket of [client, server]) socket?.unpipe().pause();
  }

  function endHold(): void {
    held = false;
    for (const pair of pairs) {
      if (pair.client.destroyed || pair.server?.destroyed) destroy(pair);
      else if (pair.server) pipeBothWays(pair);
      else connectToServer(pair, targets.length);
    }
  }

  async function restore(): Promise<void> {
    if (held) endHold();
    if (listener) return;
    // A client that has closed its side may still wait for the response.
    listener = createServer({ allowHalfOpen: true }, accept);
    await new Promise<void>((resolve, reject) => {
      listener?.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
  }

  async function cut(): Promise<void> {
    const closing = listener;
    listener = undefined;
    held = false;
    for (const pair of pairs) destroy(pair);
    await new Promise<void>((resolve) => {
      if (closing) closing.close(() => resolve());
      else resolve();
    });
  }

  async function stop(): Promise<void> {
    await cut();
    releasePort();
  }

  await restore();
  const url = new URL(targets[0] as URL);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href.replace(/\/$/, ''), cut, hold, restore, stop, [Symbol.asyncDispose]: stop };
}

/**
 * A free port that the system gives to no other program until it is released, whether something listens on it or not: it stays the
 * local port of an open connection. A server can listen on it, as one can that is started again while its old connections are open.
 */
async function keepPort(): Promise<{ port: number; release(): void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  server.close();
  for (const socket of [client, accepted]) socket.unref();
  const release = () => {
    client.destroy();
    accepted.destroy();
  };
  return { port, release };
}
