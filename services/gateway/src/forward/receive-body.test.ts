import { eventually } from '@expert-relay/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ask } from '../testing/ask.ts';
import { openRaw, type RawConnection } from '../testing/raw-connection.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

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

  test('is forgotten when its client leaves', async () => {
    await start();
    const connection = await beginBody('half', 100);
    connection.socket.destroy();
    await eventually('it is logged', () => gateway.lines.some(({ status }) => status === 499));
    expect(gateway.upstreams.messages.sockets.size).toBe(0);
  });

  test('can arrive in pieces and is forwarded as a whole', async () => {
    await start();
    const connection = await beginBody('first ', 12);
    connection.send('second');
    expect(await connection.answers(1)).toMatch(/^HTTP\/1\.1 200 /);
    const [call] = gateway.upstreams.messages.calls;
    expect([call?.body.toString(), call?.headers['content-length']]).toEqual(['first second', '12']);
  });
});

test('slow bodies of one address are limited, fast ones are not', async () => {
  await start({ slowAfter: 100, env: { RELAY_MAX_SLOW_BODIES_PER_ADDRESS: '3' } });
  const slow: RawConnection[] = [];
  for (let i = 0; i < 5; i++) slow.push(await beginBody('a', 100));
  await eventually('two are refused', () => slow.filter(({ received }) => received !== '').length === 2);
  const refused = slow.filter(({ received }) => received !== '');
  for (const { received } of refused) {
    expect(received).toMatch(/^HTTP\/1\.1 429 .*retry-after: 60.*"error":"too_many_at_once"/is);
  }
  for (const connection of refused) expect(await connection.closed(2_000)).toBe(true);
  expect((await send('fast')).status).toBe(200);

  slow.find(({ received }) => received === '')?.socket.destroy();
  const next = await beginBody('a', 2);
  await new Promise((resolve) => setTimeout(resolve, 300));
  next.send('b');
  expect(await next.answers(1)).toMatch(/^HTTP\/1\.1 200 /);
});

describe('when the bodies take more memory than they may', () => {
  const megabyte = 'a'.repeat(1_000_000);
  const bothAreHeld = () =>
    eventually(
      'both bodies are held',
      async () => (await gateway.metric('relay_gateway_body_bytes')) === 2_000_000,
    );

  test('the oldest slow one is refused', async () => {
    await start({ slowAfter: 50, env: { RELAY_BODY_MEMORY: '2500000' } });
    const oldest = await beginBody(megabyte, 1_000_001);
    const second = await beginBody(megabyte, 1_000_001);
    await bothAreHeld();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await send(megabyte)).status).toBe(200);
    expect(oldest.received).toMatch(/^HTTP\/1\.1 503 .*retry-after: /is);
    second.send('a');
    expect(await second.answers(1)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('the newest one is refused when none is slow, and the memory is free again once they are answered', async () => {
    await start({ slowAfter: 60_000, env: { RELAY_BODY_MEMORY: '2500000' } });
    const first = await beginBody(megabyte, 1_000_001);
    const second = await beginBody(megabyte, 1_000_001);
    await bothAreHeld();
    expect((await send(megabyte)).status).toBe(503);
    for (const connection of [first, second]) connection.send('a');
    for (const connection of [first, second]) {
      expect(await connection.answers(1)).toMatch(/^HTTP\/1\.1 200 /);
    }
    await eventually('there is room', async () => (await send(megabyte)).status === 200);
  });
});
