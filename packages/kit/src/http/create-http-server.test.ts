import { once } from 'node:events';
import { Agent, get, type RequestListener, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';
import { createHttpServer, type HttpServer } from './create-http-server.ts';

const respond: RequestListener = (_request, response) => response.end();

async function start(handler = respond, requestTimeoutMs?: number): Promise<HttpServer> {
  const server = createHttpServer({
    handler,
    host: '127.0.0.1',
    port: 0,
    ...(requestTimeoutMs && { requestTimeoutMs }),
  });
  await server.start?.();
  return server;
}

/** Whether a stop that was started ends. */
const ends = (stopping: Promise<void> | undefined): Promise<boolean> =>
  Promise.race([Promise.resolve(stopping).then(() => true), pause(60_000, false, { ref: false })]);

const portOf = (server: HttpServer): number => Number(new URL(server.url).port);

test('stops as soon as a call that began before has its response, even if its client keeps the connection', async () => {
  const running: ServerResponse[] = [];
  const server = await start((_request, response) => void running.push(response));
  const agent = new Agent({ keepAlive: true });
  const call = get(server.url, { agent });
  const answered = once(call, 'response');
  while (running.length === 0) await pause(5);

  const stopping = server.stop?.();
  running[0]?.end('done');
  const [response] = await answered;
  response.resume();

  expect(response.statusCode).toBe(200);
  expect(await ends(stopping)).toBe(true);
  agent.destroy();
});

test.each([
  ['head', 'GET / HTTP/1.1\r\nHost: '],
  ['body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf'],
])('a stop refuses a request of which only a part of the %s arrives', async (_, half) => {
  const server = await start((request, response) => {
    if (request.method === 'GET') response.end();
    else request.resume();
  }, 500);
  const client = connect(portOf(server), '127.0.0.1').setEncoding('latin1');
  let received = '';
  client.on('error', () => {});
  client.on('data', (text) => {
    received += text;
  });
  await once(client, 'connect');
  client.write(half);
  // When a later call has its response, the server has read this part.
  await (await fetch(server.url)).text();

  expect(await ends(server.stop?.())).toBe(true);
  expect(received).toMatch(/^HTTP\/1\.1 408 /);
});

test('a call that arrives while the process is busy gets its response, although the server then stops', async () => {
  const server = await start();
  const sent = new Int32Array(new SharedArrayBuffer(4));
  // In another thread, which runs while this one is blocked.
  const client = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    const socket = require('node:net').connect(workerData.port, '127.0.0.1');
    const call = () => socket.write('GET / HTTP/1.1\\r\\nHost: relay\\r\\n\\r\\n');
    socket.on('data', (data) => parentPort.postMessage(String(data)));
    socket.on('error', ({ code }) => parentPort.postMessage(code));
    parentPort.on('message', () => { call(); Atomics.store(workerData.sent, 0, 1); Atomics.notify(workerData.sent, 0); });
    call();`,
    { eval: true, workerData: { port: portOf(server), sent } },
  );
  try {
    await once(client, 'message');
    const second = once(client, 'message');
    client.postMessage('go');
    Atomics.wait(sent, 0, 0);
    const stopped = server.stop?.();
    const [received] = await second;
    expect(received).toMatch(/^HTTP\/1.1 200 OK/);
    await stopped;
  } finally {
    await client.terminate();
  }
});

/** Connects at once, and resolves with the status line of the response, or with the error. */
function callNow(server: HttpServer): Promise<string> {
  const client = connect(portOf(server), '127.0.0.1').setEncoding('latin1');
  client.write('GET / HTTP/1.1\r\nHost: relay\r\n\r\n');
  return new Promise((resolve) => {
    client.once('data', (text) => resolve(String(text).split('\r\n')[0] ?? ''));
    client.once('error', ({ message }) => resolve(message));
  });
}

test('connections that the server has not accepted yet when it stops are answered', async () => {
  const server = await start();
  server.drain?.();
  const calls = Array.from({ length: 20 }, () => callNow(server));
  const stopping = server.stop?.();

  expect(new Set(await Promise.all(calls))).toEqual(new Set(['HTTP/1.1 200 OK']));
  expect(await ends(stopping)).toBe(true);
});

test('after a pause, the server listens until no connection has arrived for a while', async () => {
  const server = await start();
  server.drain?.();
  await pause(300);
  const calledAt = performance.now();
  expect(await callNow(server)).toBe('HTTP/1.1 200 OK');
  await server.stop?.();

  expect(performance.now() - calledAt).toBeGreaterThan(290);
});

test('closes the connection with each response while it drains', async () => {
  const server = await start();
  const before = await fetch(server.url);
  server.drain?.();
  const after = await fetch(server.url);
  await server.stop?.();

  expect(before.headers.get('connection')).toBe('keep-alive');
  expect(after.headers.get('connection')).toBe('close');
});

test('a stop closes connections that were opened in advance and not used', async () => {
  const server = await start();
  const unused = connect(portOf(server), '127.0.0.1');
  await once(unused, 'connect');
  await fetch(server.url);

  const closed = once(unused, 'close');
  expect(await ends(server.stop?.())).toBe(true);
  await closed;
});

test('accepts a head that is larger than at the edge: 16 KiB, and a principal that repeats its target', async () => {
  const server = await start((request, response) => response.end(String(request.url?.length)));
  const path = `/?${'x'.repeat(16_000)}`;
  const response = await fetch(server.url + path, {
    headers: { 'x-principal': Buffer.from(path).toString('base64') },
  });
  const length = await response.text();
  await server.stop?.();

  expect([response.status, length]).toEqual([200, '16002']);
});
