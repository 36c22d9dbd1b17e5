import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port that was free a moment ago: for the one service whose address others must know before it is there. */
export async function reservePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
