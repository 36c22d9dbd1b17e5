import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '@expert-relay/kit/http';
import { createMetrics } from '@expert-relay/kit/metrics';
import { eventually, openRaw } from '@expert-relay/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createByteBudget } from '../call/create-byte-budget.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { createTransfers, type Transfer } from './create-transfers.ts';

const piece = Buffer.alloc(65_536, 'a');
/** Bytes per second that no client reads, so that the client has only the grace time. */
const unreachableRate = 2 ** 40;
const graceMs = 300;

describe('createTransfers', () => {
  let close = () => {};
  afterEach(() => close());

  async function serve(
    minRate: number,
    handle: (transfer: Transfer, response: ServerResponse) => unknown,
  ): Promise<string> {
    const metrics = createMetrics('test', { forProcess: false });
    const memory = createByteBudget(2 ** 30);
    const beginTransfer = createTransfers({ minRate, memory, graceMs, metrics });
    const server = createServer((_request, response) => {
      response.writeHead(200);
      const edgeResponse = Object.assign(response, { locals: { call: { client: '192.0.2.1' } } });
      void handle(beginTransfer(edgeResponse as never), response);
    });
    close = () => void server.close().closeAllConnections();
    return await listen(server, '127.0.0.1', 0);
  }

  async function send(transfer: Transfer, response: ServerResponse, count: number): Promise<void> {
    for (let sent = 0; sent < count && !response.destroyed; sent++) {
      if (!transfer.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
    }
    transfer.end();
  }

  async function receive(url: string): Promise<IncomingMessage> {
    const [response] = await once(get(url), 'response');
    return response;
  }

  test('a client that reads steadily has as much time as the rate allows', async () => {
    const url = await serve(8_192, (transfer, response) => send(transfer, response, 200));
    let received = 0;
    for await (const { length } of await receive(url)) {
      received += length;
      // In all this takes longer than the grace time, most of it while bytes wait for this client.
      await pause(5);
    }
    expect(received).toBe(200 * piece.length);
  });

  test('time in which no bytes wait for the client does not count', async () => {
    const url = await serve(unreachableRate, async (transfer) => {
      for (let sent = 0; sent < 4; sent++) {
        transfer.write(piece);
        await pause(graceMs);
      }
      transfer.end();
    });
    expect((await (await fetch(url)).text()).length).toBe(4 * piece.length);
  });

  test('bytes that wait at the end of a response count', async () => {
    let response: ServerResponse | undefined;
    const url = await serve(unreachableRate, (transfer, served) => {
      response = served;
      served.write(Buffer.alloc(64 * 2 ** 20));
      transfer.end();
    });
    const connection = await openRaw(url);
    connection.socket.pause();
    connection.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually('the client is disconnected', () => response?.closed);
    connection.socket.resume();
    expect(await connection.closed()).toBe(true);
    // The kernel has dropped the megabytes that it kept for this client.
    expect(connection.received.length).toBeLessThan(2 ** 20);
  });
});

test('a client that trickles in both directions is disconnected, and the call to the service ends', async () => {
  const gateway = await startTestGateway({
    transferLimits: { minRate: 100_000_000, graceMs },
  });
  gateway.upstreams.messages.handler = (_request, response) => {
    const fill = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', fill).writeHead(200);
    fill();
  };
  const connection = await openRaw(gateway.url);
  const key = (await gateway.makeKey('consumer')).text;
  connection.socket.pause();
  connection.send(`GET /api/v1/messages/abc HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`);
  const trickle = setInterval(() => {
    connection.socket.read(100);
    connection.send('\r\n');
  }, 20);
  try {
    await eventually('the response begins', () => gateway.upstreams.messages.sockets.size > 0);
    await eventually('the call to the service ends', () => gateway.upstreams.messages.sockets.size === 0);
  } finally {
    clearInterval(trickle);
    connection.socket.destroy();
  }
  const line = await eventually('the access line', () => gateway.lines.find(({ msg }) => msg === 'call'));
  expect(line).toMatchObject({ route: '/api/v1/messages/:requestId', status: 499 });
  expect(await gateway.metric('relay_gateway_responses_cut_off_total')).toBe(1);
  await gateway.stop();
});
