import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { keepSockets } from './create-pool.ts';

const sockets = new Set<Socket>();
let thinking = 0;
const server = createServer((_request, response) => void pause(thinking).then(() => response.end()));
server.on('connection', (socket) => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
});
let agent: Agent;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());
afterEach(() => agent.destroy());

async function call(): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo;
  const outgoing = get({ port, host: '127.0.0.1', agent });
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const local = outgoing.socket?.localPort;
  answer.resume();
  await once(answer, 'close');
  await pause(5);
  return local;
}

function pool(times: { idle: number; life: number }): void {
  agent = new Agent({ keepAlive: true });
  keepSockets(agent, times);
}

test('a connection serves one call after the other', async () => {
  pool({ idle: 1_000, life: 1_000 });
  expect(await call()).toBe(await call());
});

test('is closed when it is old, however busy it is', async () => {
  pool({ idle: 1_000, life: 100 });
  const ports = new Set<number | undefined>();
  for (const until = performance.now() + 400; performance.now() < until; ) ports.add(await call());
  expect(ports.size).toBeGreaterThanOrEqual(3);
  expect(ports.size).toBeLessThanOrEqual(8);
});

test('is closed when it was unused for a while', async () => {
  pool({ idle: 50, life: 60_000 });
  const first = await call();
  expect(sockets.size).toBe(1);
  await pause(200);
  expect(sockets.size).toBe(0);
  expect(await call()).not.toBe(first);
});

test('a call that takes longer than that is not cut off', async () => {
  pool({ idle: 50, life: 60_000 });
  await call();
  thinking = 200;
  expect(await call()).toBeDefined();
});
