import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createMetrics } from '../metrics/index.ts';
import { createHttpServer, type HttpServer } from './create-http-server.ts';
import { limitConnections } from './limit-connections.ts';

let server: HttpServer;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop?.();
});

async function start(
  perAddress: number,
  trustedProxies: string[] = [],
  total = 1_000,
  handler: RequestListener = (_request, response) => response.end('served'),
) {
  const metrics = createMetrics('test', { forProcess: false });
  server = createHttpServer({
    handler,
    host: '0.0.0.0',
    port: 0,
    // No connection is closed because a pause of the process made it idle.
    requestTimeoutMs: 300_000,
    connectionLimit: { perAddress, trustedProxies, metrics, total },
  });
  await server.start?.();
  return metrics;
}

async function open(localAddress: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', localAddress });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Whether the server answers over a connection, or closes it. */
function isServed(socket: Socket): Promise<boolean> {
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return new Promise((resolve) => {
    socket.once('data', () => resolve(true));
    if (socket.closed) resolve(false);
    else socket.once('close', () => resolve(false));
  });
}

test('a connection beyond the limit of its address is closed, and others are served', async () => {
  const metrics = await start(3);
  const first = await Promise.all([1, 2, 3].map(() => open('127.0.0.7')));
  expect(await isServed(await open('127.0.0.7'))).toBe(false);
  expect(await isServed(await open('127.0.0.8'))).toBe(true);
  for (const socket of first) expect(await isServed(socket)).toBe(true);
  expect(await metrics.metrics()).toContain(
    'relay_http_connections_closed_total{limit="address",service="test"} 1',
  );
});

test('a connection that ends makes room for another one', async () => {
  await start(1);
  const first = await open('127.0.0.7');
  expect(await isServed(first)).toBe(true);
  expect(await isServed(await open('127.0.0.7'))).toBe(false);
  first.destroy();
  // The server may notice the end later than the client.
  for (let tries = 0; !(await isServed(await open('127.0.0.7'))); tries++) {
    expect(tries).toBeLessThan(500);
    await pause(10);
  }
});

test('a trusted proxy has no limit, and 0 means no limit', async () => {
  await start(1, ['127.0.0.0/28']);
  for (let count = 0; count < 5; count++) expect(await isServed(await open('127.0.0.7'))).toBe(true);
  expect(await isServed(await open('127.0.0.77'))).toBe(true);
  expect(await isServed(await open('127.0.0.77'))).toBe(false);
  await server.stop?.();
  await start(0);
  for (let count = 0; count < 5; count++) expect(await isServed(await open('127.0.0.77'))).toBe(true);
});

describe('beyond the limit of all addresses a new connection is served, and one is closed', () => {
  const closed = 'relay_http_connections_closed_total{limit="total",service="test"} 1';
  const hasClosed = (socket: Socket) => socket.closed || once(socket, 'close');

  test('on which nothing has happened for longest', async () => {
    const metrics = await start(0, [], 3);
    const [first, second, third] = await Promise.all([1, 2, 3].map((host) => open(`127.0.0.${host}`)));
    for (const socket of [third, first]) expect(socket && (await isServed(socket))).toBe(true);
    expect(await isServed(await open('127.0.0.8'))).toBe(true);
    await hasClosed(second as Socket);
    for (const socket of [third, first]) expect(socket && (await isServed(socket))).toBe(true);
    expect(await metrics.metrics()).toContain(closed);
  });

  test('whose client reads nothing, before one whose client reads', async () => {
    const piece = Buffer.alloc(65_536);
    const fill = (response: ServerResponse) => {
      while (!response.destroyed && response.write(piece));
    };
    const metrics = await start(0, [], 2, (_request, response) => {
      response.on('drain', () => fill(response));
      fill(response);
    });
    const [reading, unread] = [await open('127.0.0.1'), await open('127.0.0.2')];
    expect(await isServed(reading)).toBe(true);
    unread.pause().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    // The kernel accepts some megabytes for a client that reads nothing.
    for (let received = 0; received < 50_000_000; ) received += (await once(reading, 'data'))[0].length;
    await open('127.0.0.3');
    unread.resume();
    await hasClosed(unread);
    expect(await metrics.metrics()).toContain(closed);
    expect(reading.closed).toBe(false);
  });
});

test('an IPv6 /64 counts as one address', () => {
  const plain = createServer();
  const metrics = createMetrics('test', { forProcess: false });
  limitConnections(plain, { perAddress: 2, total: 100, trustedProxies: [], metrics });
  const opened: Socket[] = [];
  const isAccepted = (remoteAddress: string) => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
    opened.push(socket);
    plain.emit('connection', socket);
    return !socket.destroyed;
  };
  for (const network of ['2001:db8::', '2001:db8:0:1::']) {
    expect([1, 2, 3].map((host) => isAccepted(network + host))).toEqual([true, true, false]);
  }
  for (const socket of opened) socket.destroy();
});
