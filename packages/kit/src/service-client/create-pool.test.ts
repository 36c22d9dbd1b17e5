import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { limitConnectionAge } from './create-pool.ts';

const sockets = new Set<Socket>();
let answerDelayMs = 0;
const server = createServer((_request, response) => void pause(answerDelayMs).then(() => response.end()));
server.on('connection', (socket) => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
});
// Otherwise it would close a connection that a pause of the process has made idle.
server.keepAliveTimeout = 0;
let agent: Agent;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());
afterEach(() => agent.destroy());

/** Returns the local port of the connection that carried the call. */
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

function openPool(limits: { maxIdleMs: number; maxAgeMs: number }): void {
  agent = new Agent({ keepAlive: true });
  limitConnectionAge(agent, limits);
}

test('a connection carries one call after the other', async () => {
  openPool({ maxIdleMs: 60_000, maxAgeMs: 60_000 });
  expect(await call()).toBe(await call());
});

test('a connection is closed when it is old, even if it is always in use', async () => {
  openPool({ maxIdleMs: 60_000, maxAgeMs: 100 });
  const ports = new Set<number | undefined>();
  const start = performance.now();
  while (ports.size < 4) ports.add(await call());
  // Each of the first three was used for at least two thirds of the maximum age.
  expect(performance.now() - start).toBeGreaterThan(190);
});

test('a connection is closed when it was idle for too long', async () => {
  openPool({ maxIdleMs: 50, maxAgeMs: 60_000 });
  const first = await call();
  while (sockets.size > 0) await pause(10);
  expect(await call()).not.toBe(first);
});

test('a call that takes longer than the idle time is not interrupted', async () => {
  openPool({ maxIdleMs: 50, maxAgeMs: 60_000 });
  await call();
  answerDelayMs = 200;
  expect(await call()).toBeDefined();
});
