import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCommands } from './answer-commands.ts';

/* A receiver of webhooks. */

const server = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(204).end());
});

answerCommands({
  /** Returns its address. */
  async open() {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  },
});
