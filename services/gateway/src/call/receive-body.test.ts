import { EventEmitter } from 'node:events';
import { createMetrics } from '@expert-relay/kit/metrics';
import { eventually, openRaw, type RawConnection, usedMemory } from '@expert-relay/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { createByteBudget } from './create-byte-budget.ts';
import { createBodyReceiver } from './receive-body.ts';

let gateway: TestGateway;
let key: string;
const connections: RawConnection[] = [];

async function start(options: Parameters<typeof startTestGateway>[0] = {}): Promise<void> {
  gateway = await startTestGateway(options);
  key = (await gateway.makeKey('consumer')).text;
}

afterEach(async () => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  await gateway.stop();
});

const head = (length: number) =>
  `POST /api/v1/message/abc HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Length: ${length}\r\n\r\n`;

/** Begins a body and does not end it. */
async function beginBody(text: string, length: number): Promise<RawConnection> {
  const connection = await openRaw(gateway.url);
  connections.push(connection);
  connection.send(head(length) + text);
  return connection;
}

const send = (body: string) =>
  ask(gateway.url, {
    method: 'POST',
    path: '/api/v1/message/abc',
    headers: { 'x-api-key': key },
    body,
  });

describe('a body that is not complete', () => {
  test('occupies no connection to a service, however many there are', async () => {
    await start();
    await Promise.all(Array.from({ length: 600 }, () => beginBody('a', 100)));
    expect((await send('whole')).status).toBe(200);
    expect(gateway.upstreams.messages.calls.map(({ body }) => body.toString())).toEqual(['whole']);
    expect(gateway.upstreams.messages.sockets.size).toBe(1);
    expect((await ask(gateway.url, { path: '/api/health' })).status).toBe(200);
  });

  test('is dropped when its client leaves', async () => {
    await start();
    const connection = await beginBody('half', 100);
    connection.socket.destroy();
    await eventually('the call is logged', () => gateway.lines.some(({ status }) => status === 499));
    expect(gateway.upstreams.messages.sockets.size).toBe(0);
  });

  test('can arrive in pieces and is forwarded as a whole', async () => {
    await start();
    const connection = await beginBody('first ', 12);
    connection.send('second');
    expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 200 /);
    const [call] = gateway.upstreams.messages.calls;
    expect([call?.body.toString(), call?.headers['content-length']]).toEqual(['first second', '12']);
  });
});

describe('when the bodies use more memory than allowed', () => {
  const megabyte = 'a'.repeat(1_000_000);
  const begin = () => beginBody(megabyte, 1_000_001);

  /** Begins three bodies, of which the memory holds two. */
  async function beginThree(): Promise<[RawConnection, RawConnection, RawConnection]> {
    await start({ env: { RELAY_BUFFER_MEMORY: '2500000' } });
    const [oldest, second] = [await begin(), await begin()];
    await eventually(
      'both bodies are in memory',
      async () => (await gateway.metric('relay_gateway_buffered_bytes')) >= 2_000_000,
    );
    return [oldest, second, await begin()];
  }

  test('the oldest is refused, and the others are served', async () => {
    const [oldest, ...others] = await beginThree();
    expect(await oldest.responses(1)).toMatch(
      /^HTTP\/1\.1 503 .*retry-after: .*Too many bodies arrive at the same time/is,
    );
    for (const connection of others) connection.send('a');
    for (const connection of others) expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await gateway.metric('relay_gateway_bodies_refused_total')).toBe(1);
    await eventually(
      'the memory is free again',
      async () => (await gateway.metric('relay_gateway_buffered_bytes')) === 0,
    );
  });

  test('the rest of a refused body is dropped, and its connection can be used again', async () => {
    const [oldest] = await beginThree();
    await oldest.responses(1);
    oldest.send('aGET /api/health HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await oldest.responses(2)).toMatch(/HTTP\/1\.1 200 .*"status":"ok"/s);
  });

  test('the connection of a client that leaves after its body was refused is closed', async () => {
    const [oldest] = await beginThree();
    await oldest.responses(1);
    oldest.socket.end();
    expect(await oldest.closed()).toBe(true);
  });
});

test('a body that arrives byte by byte uses no more memory than one that arrives at once', async () => {
  await start();
  const length = 300_000;
  const { receive, request } = createReceiver(length);
  const before = usedMemory();
  const received = receive();
  for (let sent = 0; sent < length - 1; sent++) request.emit('data', Buffer.alloc(1, sent % 251));
  await eventually('the pieces are released', () => usedMemory() - before < 5 * length);
  request.emit('data', Buffer.alloc(1, (length - 1) % 251));
  request.emit('end');
  const body = await received;
  expect(body?.equals(Buffer.from(Array.from({ length }, (_, index) => index % 251)))).toBe(true);
});

test('a body is not read when its client left before, such as during the look-up of its key', async () => {
  await start();
  const { receive, request, response } = createReceiver(100);
  response.closed = true;
  await expect(receive()).rejects.toThrow('the client left');
  expect(request.listenerCount('data')).toBe(0);
});

/** A receiver and a call without a socket, in which the system would join the pieces. */
function createReceiver(length: number) {
  const request = Object.assign(new EventEmitter(), { headers: { 'content-length': String(length) } });
  const response = Object.assign(new EventEmitter(), {
    closed: false,
    locals: { call: { client: '192.0.2.1' } },
  });
  const metrics = createMetrics('test', { forProcess: false });
  const receiver = createBodyReceiver({ memory: createByteBudget(2 * length), metrics });
  return { request, response, receive: () => receiver.receive(request as never, response as never) };
}
