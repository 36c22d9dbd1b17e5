import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventually, openRaw, type RawConnection, usedMemory } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../routes/index.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

/* What an address without a key can make the gateway hold: on all routes, with all methods and forms of bodies. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { RELAY_ANSWER_MEMORY: '16777216' } });
});
afterAll(() => gateway.stop());

const connections: RawConnection[] = [];
afterEach(() => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  for (const upstream of Object.values(gateway.upstreams)) upstream.handler = undefined;
});

async function send(bytes: string, from: string): Promise<RawConnection> {
  const connection = await openRaw(gateway.url, from);
  connections.push(connection);
  connection.send(bytes);
  return connection;
}

const paths = [
  ...new Set(routes.map(({ path }) => path.replace(/:\w+/g, 'abc').replace('*', 'x'))),
  '/nowhere',
];
/** A POST that anybody may send, and a file that anybody may get. */
const open = { post: '/auth/dev', asset: '/dashboard/assets/index.js' };
const head = (method: string, path: string, ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;
const megabyte = 'a'.repeat(1_000_000);

describe('without a body that is complete, these are answered, and nothing of it is held or forwarded:', () => {
  const half = megabyte.slice(0, 100_000);
  const forms = {
    'a body with a length': (method: string, path: string) =>
      head(method, path, `Content-Length: ${megabyte.length}`) + half,
    'a chunked body': (method: string, path: string) =>
      `${head(method, path, 'Transfer-Encoding: chunked')}${half.length.toString(16)}\r\n${half}\r\n`,
  };
  test.each(['GET', 'HEAD', 'OPTIONS', 'PATCH', 'DELETE /nowhere', 'POST /nowhere'])('%s', async (row) => {
    const [method = '', only] = row.split(' ');
    const callsBefore = countCalls();
    const sent = await Promise.all(
      (only ? [only] : paths).flatMap((path, index) =>
        Object.values(forms).map((form) => send(form(method, path), `127.0.1.${index + 1}`)),
      ),
    );
    for (const connection of sent) {
      expect(await connection.answers(1)).toMatch(
        method === 'OPTIONS' ? /^HTTP\/1\.1 (204|404) / : /^HTTP\/1\.1 40[045] /,
      );
    }
    expect(await gateway.metric('relay_gateway_body_bytes')).toBe(0);
    expect(countCalls()).toBe(callsBefore);
  });

  const countCalls = () => Object.values(gateway.upstreams).reduce((sum, { calls }) => sum + calls.length, 0);
});

test('GET and HEAD are served with an empty body', async () => {
  for (const method of ['GET', 'HEAD']) {
    const connection = await send(head(method, open.asset, 'Content-Length: 0'), '127.0.0.2');
    expect(await connection.answers(1)).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test('a body is released when its service begins to answer, even if the answer is not read', async () => {
  const { dashboard } = gateway.upstreams;
  let answer: (() => void) | undefined;
  dashboard.handler = (request, response) => {
    answer = () => void request.resume().once('end', () => response.writeHead(200).write('begins'));
  };
  const connection = await send(head('POST', open.post, 'Content-Length: 1000000') + megabyte, '127.0.0.2');
  await eventually(
    'the body is held',
    async () => (await gateway.metric('relay_gateway_body_bytes')) >= 1_000_000,
  );
  const begin = await eventually('the service has the call', () => answer);
  begin();
  await eventually('it is released', async () => (await gateway.metric('relay_gateway_body_bytes')) === 0);
  expect(connection.socket.destroyed).toBe(false);
});

test('a connection that waits for its next request holds nothing of the last one', async () => {
  gateway.upstreams.dashboard.handler = (request, response) =>
    void request.resume().once('end', () => response.writeHead(200, { 'content-length': 0 }).end());
  const before = usedMemory();
  for (let index = 0; index < 40; index++) {
    const connection = await send(head('POST', open.post, 'Content-Length: 1000000') + megabyte, '127.0.0.2');
    await connection.answers(1);
  }
  await eventually('40 MB are free', () => usedMemory() - before < 20_000_000);
  expect(connections.filter(({ socket }) => socket.destroyed)).toEqual([]);
});

describe('answers that are not read', () => {
  let unanswered = 0;
  function answerMegabyte(request: IncomingMessage, response: ServerResponse): void {
    unanswered++;
    response.once('close', () => unanswered--);
    request.resume();
    response.writeHead(200, { 'content-length': megabyte.length }).end(megabyte);
  }
  /** The buffers of the kernel take the first answers of each connection. */
  async function sendUnread(from: string): Promise<RawConnection> {
    const connection = await openRaw(gateway.url, from);
    connections.push(connection);
    connection.socket.pause();
    connection.send(head('GET', open.asset).repeat(12));
    return connection;
  }
  const unreadBytes = () => gateway.metric('relay_gateway_unread_bytes');

  test('occupy no connection to a service', async () => {
    gateway.upstreams.dashboard.handler = answerMegabyte;
    for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) await sendUnread(from);
    await eventually('an answer of each waits', async () => (await unreadBytes()) > 2_500_000);
    await eventually('all were received from the service', () => unanswered === 0);
  });

  test('beyond the share of an address, the one that waits for longest is disconnected', async () => {
    gateway.upstreams.dashboard.handler = answerMegabyte;
    const other = await sendUnread('127.0.0.3');
    await eventually('its answer waits', async () => (await unreadBytes()) > 800_000);
    const own: RawConnection[] = [];
    for (let count = 0; count < 6; count++) own.push(await sendUnread('127.0.0.2'));
    const byAddress = { reason: 'address' };
    await eventually(
      'some are disconnected',
      async () => (await gateway.metric('relay_gateway_slow_clients_total', byAddress)) >= 1,
    );
    expect(await unreadBytes()).toBeLessThan(6_000_000);
    for (const { socket } of own) socket.resume();
    await eventually('some of its connections are closed', () => own.some(({ socket }) => socket.destroyed));
    other.socket.resume();
    expect(await other.answers(12)).not.toMatch(/HTTP\/1\.1 [345]/);
    expect(other.socket.destroyed).toBe(false);
  });

  test('of the gateway itself are counted too', async () => {
    const connection = await openRaw(gateway.url, '127.0.0.2');
    connections.push(connection);
    connection.socket.pause();
    for (let count = 0; count < 100; count++) {
      connection.send(head('GET', '/api/openapi.json').repeat(4));
      if ((await unreadBytes()) > 0) return;
    }
    await eventually('its answer waits', async () => (await unreadBytes()) > 0);
  });
});

test('when a service has few connections left, the client that has not read for longest is disconnected', async () => {
  const { messages } = gateway.upstreams;
  const key = (await gateway.makeKey('consumer')).text;
  const list = head('GET', '/api/v1/messages/abc', `x-api-key: ${key}`);
  messages.handler = (_request, response) => {
    const fill = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', fill).writeHead(200);
    fill();
  };
  const stalled = await openRaw(gateway.url, '127.0.0.2');
  connections.push(stalled);
  stalled.socket.pause();
  stalled.send(list);
  await eventually('it stalls', async () => (await gateway.metric('relay_gateway_unread_bytes')) > 0);
  let waiting = 0;
  messages.handler = () => waiting++;
  for (let count = 0; count < 460; count++) await send(list, '127.0.0.3');
  await eventually('the others wait', () => waiting >= 460);
  const byConnections = { reason: 'connections' };
  await eventually('it is disconnected', async () => {
    await send(list, '127.0.0.4');
    return (await gateway.metric('relay_gateway_slow_clients_total', byConnections)) === 1;
  });
  stalled.socket.resume();
  expect(await stalled.closed()).toBe(true);
});
