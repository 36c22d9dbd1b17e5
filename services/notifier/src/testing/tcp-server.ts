import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface TcpServer extends AsyncDisposable {
  readonly port: number;
  /** The connections that the other side has not ended. */
  readonly sockets: ReadonlySet<Socket>;
}

/** Starts a server on the loopback address, whose connections end with it. A client may end its half of one. */
export async function startTcpServer(serve: (socket: Socket) => void): Promise<TcpServer> {
  const server = createServer({ allowHalfOpen: true });
  const sockets = new Set<Socket>();
  const all = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    all.add(socket);
    socket.on('error', () => {});
    socket.on('end', () => sockets.delete(socket));
    socket.on('close', () => sockets.delete(socket));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of all) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
