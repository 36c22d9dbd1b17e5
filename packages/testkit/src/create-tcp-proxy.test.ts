import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTcpProxy, type TcpProxy } from './create-tcp-proxy.ts';
import { eventually } from './eventually.ts';
import { watchOpenHandles } from './watch-open-handles.ts';

let assertNothingLeftOpen: () => Promise<void>;
let server: Server;
let proxy: TcpProxy;

beforeAll(async () => {
  assertNothingLeftOpen = watchOpenHandles();
  server = createServer((_, response) => response.end('answer'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await createTcpProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterAll(async () => {
  await proxy.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await assertNothingLeftOpen();
});

/** The port that a server gets which does not ask for one. */
async function portOfSystem(): Promise<number> {
  const other = createNetServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await new Promise((resolve) => other.close(resolve));
  return port;
}

const get = async () => (await fetch(proxy.url)).text();

test('createTcpProxy: connections reach the server, fail after cut(), and reach it again after restore()', async () => {
  expect(await get()).toBe('answer');
  await proxy.cut();
  await expect(get()).rejects.toThrow('fetch failed');
  await proxy.restore();
  expect(await get()).toBe('answer');
});

test('createTcpProxy: while it is cut, it refuses connections, and the system gives its port to nobody', async () => {
  // Without connections, since the port of one that has just ended is kept for a minute.
  const proxies = await Promise.all(Array.from({ length: 200 }, () => createTcpProxy(proxy.url)));
  const kept = new Set(proxies.map(({ url }) => Number(new URL(url).port)));
  for (const { cut } of proxies) await cut();
  for (const port of kept) {
    const failed = new Promise((resolve) => connect(port, '127.0.0.1').once('error', resolve));
    expect(await failed).toMatchObject({ code: 'ECONNREFUSED' });
  }
  // It chooses at random among some 7,000: without the proxies, about 60 of these would be theirs.
  const given = [];
  for (let count = 0; count < 2_000; count++) given.push(await portOfSystem());
  expect(given.filter((port) => kept.has(port))).toEqual([]);
  const [first] = proxies as [TcpProxy];
  await first.restore();
  expect(await (await fetch(first.url)).text()).toBe('answer');
  for (const { stop } of proxies) await stop();
});

test('createTcpProxy: hold() stops all bytes without closing connections; restore() delivers them', async () => {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  proxy.hold();
  socket.write('GET / HTTP/1.1\r\nhost: relay\r\n\r\n');
  const late = get();
  const responses: string[] = [];
  socket.on('data', (text: string) => responses.push(text));
  await pause(200);
  expect([responses, socket.destroyed]).toEqual([[], false]);

  await proxy.restore();
  await eventually('the response', () => responses.join('').endsWith('answer'));
  expect(await late).toBe('answer');
  socket.destroy();
});

test('createTcpProxy: hold() and restore() while a connection is being made leave one', async () => {
  const { port } = server.address() as AddressInfo;
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  server.closeAllConnections();
  await eventually('no connection', async () => (await connections()) === 0);
  await using own = await createTcpProxy(`http://127.0.0.1:${port}`);
  const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
  for (let round = 0; round < 200; round++) {
    own.hold();
    await own.restore();
    await new Promise(setImmediate);
  }
  await eventually('a connection', async () => (await connections()) > 0);
  expect(await connections()).toBe(1);
  socket.destroy();
  await eventually('no connection', async () => (await connections()) === 0);
});

test('createTcpProxy: after the client has closed its side, it still receives the response', async () => {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1').setEncoding('utf8');
  let response = '';
  socket.on('data', (text: string) => {
    response += text;
  });
  socket.end('nonsense\r\n\r\n');
  await once(socket, 'close');
  expect(response).toMatch(/^HTTP\/1.1 400 /);
});

test('createTcpProxy: with several servers, connections go to them in turn and skip one that refuses', async () => {
  const refusing = await createTcpProxy(proxy.url);
  await refusing.cut();
  const balanced = await createTcpProxy([refusing.url, proxy.url]);
  const responses = [];
  for (let call = 0; call < 4; call++) {
    const headers = { connection: 'close' };
    responses.push(await (await fetch(balanced.url, { headers })).text());
  }
  expect(responses).toEqual(['answer', 'answer', 'answer', 'answer']);
  await balanced.stop();
  await refusing.stop();
});
