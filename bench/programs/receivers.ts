import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { hostileReceivers } from '@expert-relay/testkit';
import { answerCommands } from './answer-commands.ts';

/* Receivers of webhooks: one that works, and hostile ones. */

async function listen(server: Server): Promise<number> {
  server.on('connection', (socket: Socket) => socket.on('error', () => {}).resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const good = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(204).end());
});

answerCommands({
  /** Starts all of them. Returns the address of each. */
  async open({ cert, key }: { cert: string; key: string }) {
    const urls: Record<string, string> = { works: `http://127.0.0.1:${await listen(good)}/` };
    for (const [name, { serve }] of Object.entries(hostileReceivers))
      urls[name] = `http://127.0.0.1:${await listen(createTcpServer({ allowHalfOpen: true }, serve))}/`;
    const silent = createTcpServer(() => {});
    urls['never ends its TLS handshake'] = `https://127.0.0.1:${await listen(silent)}/`;
    const untrusted = createTlsServer({ cert, key }, (_, response) => response.end());
    urls['has a wrong certificate'] = `https://127.0.0.1:${await listen(untrusted)}/`;
    return urls;
  },
});
