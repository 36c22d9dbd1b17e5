import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';
import { createHttpServer } from './create-http-server.ts';

test('stops as soon as a call that began before is answered, though its client keeps the connection', async () => {
  const server = createHttpServer({
    handler: (_request, response) => void pause(200).then(() => response.end('done')),
    host: '127.0.0.1',
    port: 0,
  });
  await server.start?.();
  const agent = new Agent({ keepAlive: true });
  const call = get(server.url, { agent });
  const answered = once(call, 'response');
  await pause(50);

  const stopped = Promise.resolve(server.stop?.()).then(() => 'stopped');
  const [answer] = await answered;
  answer.resume();

  expect(answer.statusCode).toBe(200);
  expect(await Promise.race([stopped, pause(2_000, 'still open', { ref: false })])).toBe('stopped');
  agent.destroy();
});

test('a call that arrives while the process is busy is answered, although the server then stops', async () => {
  const server = createHttpServer({
    handler: (_request, response) => response.end(),
    host: '127.0.0.1',
    port: 0,
  });
  await server.start?.();
  const sent = new Int32Array(new SharedArrayBuffer(4));
  // In a thread of its own, which goes on while this one is busy.
  const client = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    const socket = require('node:net').connect(workerData.port, '127.0.0.1');
    const call = () => socket.write('GET / HTTP/1.1\\r\\nHost: relay\\r\\n\\r\\n');
    socket.on('data', (data) => parentPort.postMessage(String(data)));
    socket.on('error', ({ code }) => parentPort.postMessage(code));
    parentPort.on('message', () => { call(); Atomics.store(workerData.sent, 0, 1); Atomics.notify(workerData.sent, 0); });
    call();`,
    { eval: true, workerData: { port: Number(new URL(server.url).port), sent } },
  );
  try {
    await once(client, 'message');
    const second = once(client, 'message');
    client.postMessage('go');
    Atomics.wait(sent, 0, 0);
    const stopped = server.stop?.();
    const [answer] = await second;
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    await stopped;
  } finally {
    await client.terminate();
  }
});

test('tells clients to leave while it drains', async () => {
  const server = createHttpServer({
    handler: (_request, response) => response.end(),
    host: '127.0.0.1',
    port: 0,
  });
  await server.start?.();
  const before = await fetch(server.url);
  server.drain?.();
  const after = await fetch(server.url);
  await server.stop?.();

  expect(before.headers.get('connection')).toBe('keep-alive');
  expect(after.headers.get('connection')).toBe('close');
});

test('does not wait for a connection that was opened ahead of a call', async () => {
  const server = createHttpServer({
    handler: (_request, response) => response.end(),
    host: '127.0.0.1',
    port: 0,
  });
  await server.start?.();
  const { port } = new URL(server.url);
  const ahead = connect(Number(port), '127.0.0.1');
  await once(ahead, 'connect');
  await fetch(server.url);

  const closed = once(ahead, 'close');
  const stopped = Promise.resolve(server.stop?.()).then(() => 'stopped');
  expect(await Promise.race([stopped, pause(2_000, 'still open', { ref: false })])).toBe('stopped');
  await closed;
});

test('takes a head that grew on its way in: 16 KiB at the edge, and the target once more in its principal', async () => {
  const server = createHttpServer({
    handler: (request, response) => response.end(String(request.url?.length)),
    host: '127.0.0.1',
    port: 0,
  });
  await server.start?.();
  const path = `/?${'x'.repeat(16_000)}`;
  const answer = await fetch(server.url + path, {
    headers: { 'x-principal': Buffer.from(path).toString('base64') },
  });
  const length = await answer.text();
  await server.stop?.();

  expect([answer.status, length]).toEqual([200, '16002']);
});
